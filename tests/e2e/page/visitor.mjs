/** visitor.mjs: one browser window with the lab, and functions that read and use it. */
import { check, until } from "./wait.mjs";

const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

/** The longest time of an action that takes no time by hand. */
const ACTION_MS = 120_000;
/** A body that does not move for this many ticks is at rest, not at the top of its flight. */
const STILL_TICKS = 30;
const STILL_M = 1e-3;

/** Runs in the page: short messages disappear; their texts are kept. */
function keepToasts() {
  window.toastsTold = [];
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (node instanceof HTMLElement && node.classList.contains("toast")) {
        const kind = node.classList.contains("error") ? "error" : "note";
        window.toastsTold.push({ kind, text: node.firstChild.textContent });
      }
    }
  }).observe(document, { childList: true, subtree: true });
}

/** Runs in the page: sets the quality as a user's choice; an empty page has no storage. */
function keepQuality(name) {
  if (location.protocol === "http:") {
    localStorage.setItem("cairn-quality", name);
  }
}

export class Visitor {
  static open(browser, origin, world, ...how) {
    return Visitor.openAt(browser, origin, world === "" ? "/" : `/?world=${world}`, ...how);
  }

  /** Draws in this quality; null: in the quality that the page chooses by its drawing time. */
  static async openAt(browser, origin, path, options = DESKTOP, quality = "medium") {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(ACTION_MS);
    await context.addInitScript(keepToasts);
    if (quality !== null) {
      await context.addInitScript(keepQuality, quality);
    }
    const page = await context.newPage();
    const visitor = new Visitor(context, page, origin);
    page.on("pageerror", (error) => visitor.problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") {
        visitor.problems.push(message.text());
      }
    });
    page.on("request", (request) => visitor.requests.push(request.url()));
    await page.goto(origin + path);
    return visitor;
  }

  constructor(context, page, origin) {
    this.context = context;
    this.page = page;
    this.origin = origin;
    this.problems = [];
    this.requests = [];
  }

  close() {
    return this.context.close();
  }

  state() {
    return this.page.evaluate(() => window.cairn.state);
  }

  async body(name) {
    const bodies = await this.page.evaluate(() => window.cairn.bodies());
    const found = bodies.find((body) => body.name === name);
    check(`there is a body ${name}`, found !== undefined, bodies.map((body) => body.name).join());
    return found;
  }

  /** CSS pixels of a place in the world. */
  screen(x, y, z = 0) {
    return this.page.evaluate(([wx, wy, wz]) => window.cairn.screen(wx, wy, wz), [x, y, z]);
  }

  async screenOf(name) {
    const { x, y, z } = await this.body(name);
    return this.screen(x, y, z);
  }

  /** Waits until the page has joined and shows a tick. */
  async joined() {
    await until("the page has joined and shows ticks", async () => {
      const { worldState, shownTick } = await this.state();
      return worldState === "joined" && shownTick > 0;
    });
    return this;
  }

  /** Waits until a body stands still while ticks pass; its pose. */
  settled(name) {
    let since = null;
    return until(`${name} is at rest`, async () => {
      const now = await this.body(name);
      const { shownTick: tick, generation } = await this.state();
      const isStill = since !== null && generation === since.generation &&
        Math.hypot(now.x - since.x, now.y - since.y, now.z - since.z) < STILL_M;
      since = isStill ? since : { ...now, tick, generation };
      return tick >= since.tick + STILL_TICKS && now;
    });
  }

  /** What the page has told in short messages since it was loaded, of the kind error, or of any. */
  async toasts(kind = null) {
    const told = await this.page.evaluate(() => window.toastsTold);
    return told.filter((one) => kind === null || one.kind === kind).map(({ text }) => text);
  }

  /** Where it is, and what it has told, for whoever has to find out why a test failed. */
  async tells() {
    const { connection, worldState, world, tick, shownTick, running, replay } = await this.state();
    const place = { connection, worldState, world, tick, shownTick, running, replay };
    return [JSON.stringify(place), ...(await this.toasts())];
  }

  /** Waits until a short message has said something like it. */
  told(pattern, kind = null) {
    return until(`the page tells ${pattern}`, async () =>
      (await this.toasts(kind)).some((text) => pattern.test(text)));
  }

  /** Sets a range to a value as a hand does, in the range's own numbers. */
  slide(id, value) {
    return this.page.locator(`#${id}`).fill(String(value));
  }

  /**
   * How many pixels of the picture, or of a box of CSS pixels in it, lie within `reach` of a colour
   * [r, g, b] in every channel.
   */
  async countPixels(color, reach, box = null) {
    const clip = box ?? (await this.page.locator("canvas.stage").boundingBox());
    const bytes = await this.page.screenshot({ clip });
    return this.page.evaluate(async ([base64, rgb, far]) => {
      const raw = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([raw], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const off = [0, 1, 2].map((channel) => Math.abs(data[at + channel] - rgb[channel]));
        count += Math.max(...off) <= far ? 1 : 0;
      }
      return count;
    }, [bytes.toString("base64"), color, reach]);
  }
}
