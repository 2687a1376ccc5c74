/** test_rooms.mjs: rooms in the gallery: a seat, the live list, a password, a reload, the end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./daemon.mjs";
import { check, until } from "./wait.mjs";

const TEMPLATES = { templates: [
  { name: "arena", title: "Stack arena", sceneName: "contact-3", seats: 2, holdS: 120,
    emptyS: 120, properties: [{ name: "map", listed: true }] },
  { name: "duel", title: "A duel", sceneName: "contact-2", seats: 2 },
] };

async function withRooms({ startOwn }) {
  const file = join(makeFolder("cairn-rooms-").path, "rooms.yaml");
  writeFileSync(file, JSON.stringify(TEMPLATES));
  return startOwn(["--rooms", file]);
}

async function picture(visitor, name) {
  const folder = process.env.CAIRN_E2E_PICTURES;
  if (folder !== undefined) {
    await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

const cards = (visitor) => visitor.page.locator(".card.room");

async function openGallery(visitor) {
  await visitor.page.click(".gallery-button");
  await until("the templates are there", async () =>
    (await visitor.page.locator(".card.template").count()) === 2);
}

async function roomsAreUsed(context) {
  const own = await withRooms(context);
  const ask = (more) => own.ask("POST", "/v1/rooms", { template: "arena", ...more });
  const secret = await ask({ create: "CREATE", name: "Ada's room", password: "sesame",
    properties: [{ name: "map", text: "ice" }] });
  const ada = await (await context.visitAt(own.origin, "/?world=contact-6")).joined();
  await openGallery(ada);
  await until("the room is listed", async () => (await cards(ada).count()) === 1);
  check("it says what it is", /Ada's room.*Stack arena.*0 of 2 seats taken.*1 held.*map ice/
    .test(await cards(ada).first().textContent()), await cards(ada).first().textContent());

  const other = await ask({ create: "CREATE", name: "Open to all" });
  await until("a new room appears by itself", async () => (await cards(ada).count()) === 2);
  await picture(ada, "rooms-gallery");

  await cards(ada).first().locator("input").fill("open");
  await cards(ada).first().getByRole("button", { name: "Join" }).click();
  await until("a wrong password is told", async () =>
    /password/.test(await ada.page.locator(".refusal").textContent()));
  await picture(ada, "rooms-refusal");
  await cards(ada).first().locator("input").fill("sesame");
  await cards(ada).first().getByRole("button", { name: "Join" }).click();
  await until("Ada is in the room", async () => (await ada.state()).world === secret.world);
  await ada.joined();
  await until("she is a player there", async () =>
    (await ada.page.textContent(".people .role")) === "player");
  await picture(ada, "rooms-joined");

  const { session } = await ada.state();
  await ada.page.reload();
  await ada.joined();
  check("a reload takes the seat again", (await ada.state()).world === secret.world);
  check("and begins a session", (await ada.state()).session !== session);

  const bob = await (await context.visitAt(own.origin, "/?world=contact-6")).joined();
  await openGallery(bob);
  await until("a full room cannot be joined", () =>
    cards(bob).first().getByRole("button", { name: "Full" }).isDisabled());
  await bob.page.locator(".card.template").first().getByRole("button", { name: "Play" }).click();
  await until("Play finds the open one", async () => (await bob.state()).world === other.world);
  await bob.joined();

  await openGallery(ada);
  await cards(ada).first().getByRole("button", { name: "Back to my seat" }).click();
  check("she is still there", (await ada.state()).world === secret.world);
  await openGallery(ada);
  await ada.page.locator(".card.world").first().click();
  await until("she is in another world, with her own rights", async () =>
    (await ada.state()).world !== secret.world);
  await ada.joined();
  await openGallery(ada);
  await cards(ada).first().getByRole("button", { name: "Back to my seat" }).click();
  await until("the seat was held", async () => (await ada.state()).world === secret.world);
  await ada.joined();

  await own.remove(secret.world);
  await until("the room has ended", async () => (await ada.state()).worldState === "gone");
  await openGallery(ada);
  await until("it is in no list", async () => (await cards(ada).count()) === 1);
  const left = await cards(ada).first().textContent();
  check("the other room is", left.includes("Open to all"), left);
  ada.problems = ada.problems.filter((text) => !/status of 40[34]/.test(text));
}

async function withoutRooms({ visit }) {
  const visitor = await visit("contact-3");
  await visitor.page.click(".gallery-button");
  await until("the scenes are there", () =>
    visitor.page.locator(".card.scene").first().isVisible());
  check("no rooms are shown", !(await visitor.page.locator(".rooms").isVisible()));
}

export default [
  ["rooms are listed, joined and left", roomsAreUsed],
  ["a daemon without rooms shows none", withoutRooms],
];
