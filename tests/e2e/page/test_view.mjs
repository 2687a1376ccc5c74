/** test_view.mjs: the page draws, at every size, and requests nothing from other hosts. */
import { PHONE } from "./visitor.mjs";
import { check, until } from "./wait.mjs";

const FORCE_RED = [224, 32, 43];
const PAPER = [251, 251, 249];
const NIGHT = [20, 23, 29];
const NIGHT_RED = [255, 93, 98];

async function drawsBodiesAndForces({ visit }) {
  const visitor = await visit("contact-6");
  await until("contact forces are drawn", async () => (await visitor.state()).forces >= 4);
  await until("red lines are on the picture", async () =>
    (await visitor.countPixels(FORCE_RED, 12)) > 100);
  await until("a body covers the paper at its centre", async () => {
    const { x, y } = await visitor.screenOf("block1");
    const box = { x: x - 12, y: y - 12, width: 24, height: 24 };
    return (await visitor.countPixels(PAPER, 8, box)) === 0;
  });
  await visitor.page.keyboard.press("v");
  await until("forces are hidden", async () => (await visitor.countPixels(FORCE_RED, 12)) === 0);
  await visitor.page.keyboard.press("v");
  await until("forces are back", async () => (await visitor.countPixels(FORCE_RED, 12)) > 100);
}

/** For a paused world the daemon sends only the data that the page has requested. */
async function asksForContactsWhileShown({ visit, ownWorld }) {
  const visitor = await visit(await ownWorld("contact-3"));
  const reading = (name) => visitor.page.locator(`#reading-${name}`).textContent();
  for (const block of ["block1", "block2", "block3"]) {
    await visitor.settled(block);
  }
  await visitor.page.keyboard.press("p");
  await until("it stands still", async () => !(await visitor.state()).running);
  const { contacts } = await visitor.state();
  check("something touches", contacts > 0);
  await visitor.page.keyboard.press("v");
  check("none are known", (await visitor.state()).contacts === 0);
  await until("they are still counted", async () =>
    (await reading("contacts")) === String(contacts) && (await reading("solver")) === "not shown");
  await visitor.page.keyboard.press("v");
  await until("they come again", async () => (await visitor.state()).contacts === contacts);
  await until("and are drawn", async () => (await visitor.state()).forces > 0);
}

/** The page, the picture and the plot are dark where the system is, and light again with it. */
async function isDarkByNight({ visit }) {
  const visitor = await visit("contact-6", { viewport: { width: 1280, height: 800 },
    colorScheme: "dark" });
  const share = async (color) => {
    const { width, height } = await visitor.page.locator("canvas.stage").boundingBox();
    return (await visitor.countPixels(color, 6)) / (width * height);
  };
  const panel = () => visitor.page.locator(".panel").evaluate(
    (one) => getComputedStyle(one).backgroundColor);
  await until("the paper is dark", async () => (await share(NIGHT)) > 0.4);
  check("and the panel", (await panel()) === "rgb(27, 31, 39)", await panel());
  await until("forces are drawn", async () => (await visitor.countPixels(NIGHT_RED, 12)) > 100);
  await visitor.page.emulateMedia({ colorScheme: "light" });
  await until("by day it is light", async () => (await share(PAPER)) > 0.4);
  check("the panel too", (await panel()) === "rgb(255, 255, 255)", await panel());
  await until("and its forces", async () => (await visitor.countPixels(FORCE_RED, 12)) > 100);
}

async function forcesHoldTheWeight({ visit, ownWorld }) {
  const lab = await visit(await ownWorld("contact-1"));
  await lab.settled("block1");
  const pixels = async () => lab.countPixels(FORCE_RED, 12);
  await until("a block at rest has force lines", async () => (await pixels()) > 20);
  const before = await pixels();
  await lab.slide("gravity", 20);
  await until("more gravity draws longer lines", async () => (await pixels()) > before * 1.3);
}

async function plotsEnergy({ visit }) {
  const visitor = await visit("contact-6");
  const inked = () => visitor.page.evaluate(() => {
    const canvas = document.querySelector(".energy canvas");
    if (canvas === null || canvas.width === 0) {
      return 0;
    }
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const isDark = data[at] < 90 && data[at + 1] < 90 && data[at + 3] > 200;
      count += isDark ? 1 : 0;
    }
    return count;
  });
  await until("the line of the total energy is drawn", async () => (await inked()) > 60);
  await visitor.page.locator("#show-energy").uncheck();
  check("the plot can be put away", await visitor.page.locator(".energy").isHidden());
}

async function readsOut({ visit }) {
  const visitor = await visit("contact-6");
  const reading = async (name) => visitor.page.locator(`#reading-${name}`).textContent();
  await until("the tick counts", async () => Number(await reading("tick")) > 10);
  await until("contacts are counted", async () => Number(await reading("contacts")) > 0);
  await until("the round trip is known", async () => /\d ms/.test(await reading("trip")));
  await until("bytes come in", async () => /^[1-9].*B\/s/.test(await reading("bytes")));
  await until("the speed is known", async () => /^\d+\.\d\d ×/.test(await reading("speed")));
  check("every snapshot had the right hash", (await visitor.state()).damaged === 0);
}

async function fitsEverySize({ visit }) {
  const sizes = [
    ["laptop", { viewport: { width: 1280, height: 800 } }],
    ["beamer", { viewport: { width: 1920, height: 1080 } }],
    ["phone", PHONE],
    ["phone on its side", { ...PHONE, viewport: { width: 844, height: 390 } }],
    ["window at twice its size", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ];
  for (const [name, options] of sizes) {
    const visitor = await visit("contact-6", options);
    const { width, height } = options.viewport;
    const layout = await visitor.page.evaluate(() => {
      const canvas = document.querySelector("canvas.stage").getBoundingClientRect();
      const controls = [...document.querySelectorAll(".head *, .controls *")];
      const right = controls.map((one) => one.getBoundingClientRect().right);
      return { canvas: canvas.toJSON(), right: Math.max(...right),
        page: document.documentElement.scrollWidth };
    });
    check(`${name}: nothing is wider than the page`, layout.page <= width, layout.page);
    check(`${name}: no control is cut off`, layout.right <= width + 1, layout.right);
    check(`${name}: all of the picture is on the page`, layout.canvas.bottom <= height + 1 &&
      layout.canvas.right <= width + 1, JSON.stringify(layout.canvas));
    const share = (layout.canvas.width * layout.canvas.height) / (width * height);
    check(`${name}: the picture has most of the room`, share > 0.45, share);
    await until(`${name}: forces are drawn`, async () => (await visitor.state()).forces > 0);
    await visitor.close();
  }
}

async function staysAtHome({ visit, daemon }) {
  const visitor = await visit("contact-6");
  await visitor.page.keyboard.press("g");
  await until("scenes are listed", async () => (await visitor.page.locator(".card").count()) > 5);
  const own = [daemon.origin, daemon.origin.replace("http", "ws"), "blob:", "data:"];
  const foreign = visitor.requests.filter((url) => !own.some((start) => url.startsWith(start)));
  check("no other host is asked", foreign.length === 0, foreign.join(", "));
}

/** A mark for measurements of the time to the first picture. */
async function marksItsBeginning({ visit }) {
  const visitor = await visit("contact-6");
  const marks = () => visitor.page.evaluate(() => performance.getEntriesByType("mark")
    .filter(({ name }) => name.startsWith("cairn-"))
    .map(({ name, startTime }) => [name, startTime]));
  await until("it has drawn", async () => (await marks()).length === 3);
  const [open, joined, drawn] = await marks();
  check("one after the other", [open, joined, drawn].map(([name]) => name).join() ===
    "cairn-open,cairn-joined,cairn-drawn" && open[1] <= joined[1] && joined[1] < drawn[1],
    JSON.stringify([open, joined, drawn]));
}

/** A chosen quality is drawn, is shown, and is kept for the next visit. */
async function qualityIsChosen({ visit }) {
  const visitor = await visit("blocks-in-space", undefined, true, null);
  const select = visitor.page.locator("#quality");
  const widthOf = () => visitor.page.locator("canvas.stage").evaluate((canvas) => canvas.width);
  const chosen = () => select.evaluate((one) => one.selectedOptions[0].textContent);
  check("it is automatic at first", /^auto: (high|medium|low)$/.test(await chosen()));
  const widths = [];
  for (const name of ["high", "medium", "low"]) {
    await select.selectOption(name);
    check("it is as chosen", (await visitor.state()).quality === name);
    widths.push(await widthOf());
  }
  check("fewer pixels are drawn", widths[0] >= widths[1] && widths[1] > widths[2],
    widths.join(" "));
  await visitor.page.reload();
  await visitor.joined();
  await until("it was kept", async () =>
    (await select.inputValue()) === "low" && (await widthOf()) === widths[2]);
  await select.selectOption("auto");
  check("and is automatic again", /^auto: /.test(await chosen()));
}

/** A client that can decompress gets at most a third of the bytes; other clients the same page. */
async function isSentPacked({ daemon }) {
  const page = await (await fetch(daemon.origin)).text();
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1];
  check("the page has its script", script !== undefined, page.slice(0, 400));
  const [packed, plain] = await Promise.all(["gzip", "identity"].map((accepted) =>
    fetch(daemon.origin + script, { headers: { "accept-encoding": accepted } })));
  const sizes = [packed, plain].map(({ headers }) => Number(headers.get("content-length")));
  check("it is packed", packed.headers.get("content-encoding") === "gzip");
  check("and small", sizes[0] > 0 && sizes[0] < sizes[1] / 3, sizes.join(" "));
  check("the other is not", plain.headers.get("content-encoding") === null);
  check("they are the same", (await packed.text()) === (await plain.text()));
  check("no cache takes one for the other", packed.headers.get("vary") === "accept-encoding");
}

export default [
  ["draws bodies and their contact forces", drawsBodiesAndForces],
  ["asks for contacts only while they are shown", asksForContactsWhileShown],
  ["is dark where the system is", isDarkByNight],
  ["draws forces as long as they are large", forcesHoldTheWeight],
  ["plots the energy", plotsEnergy],
  ["reads out tick, contacts, round trip, bytes, speed", readsOut],
  ["fits a laptop, a beamer, a phone either way and a window at twice its size", fitsEverySize],
  ["marks when it came how far", marksItsBeginning],
  ["draws as finely as somebody chose", qualityIsChosen],
  ["asks nothing of any other host", staysAtHome],
  ["is sent packed to who can unpack it", isSentPacked],
];
