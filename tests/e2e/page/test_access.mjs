/** test_access.mjs: tokens: asked for, pasted, in the address, expired; controls of each role. */
import { execFileSync } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { makeFolder } from "./daemon.mjs";
import { check, until } from "./wait.mjs";

/** A daemon with a key, and a function that makes tokens with it. */
async function guarded({ daemon, startOwn }) {
  const cairn = resolve(dirname(daemon.program), "cairn");
  const key = join(makeFolder("cairn-key-").path, "key");
  execFileSync(cairn, ["key", key]);
  const own = await startOwn(["--token-key", `${key}.pub`]);
  const token = (role, ...words) =>
    execFileSync(cairn, ["token", "--key", key, "--role", role, "--for", "Ada", ...words])
      .toString().trim();
  return { own, token };
}

async function picture(visitor, name) {
  const folder = process.env.CAIRN_E2E_PICTURES;
  if (folder !== undefined) {
    await visitor.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}

/** Whether the element is visible. */
const shown = (visitor, selector) => visitor.page.locator(selector).first().isVisible();

async function isAskedForAToken(context) {
  const { own, token } = await guarded(context);
  const visitor = await context.visitAt(own.origin, "/?world=contact-3");
  const notice = visitor.page.locator(".notice");
  await until("the page says what is missing", async () =>
    /A token is needed/.test(await notice.textContent()));
  await picture(visitor, "token-needed");
  await visitor.page.fill(".notice input", "not.a.token");
  await visitor.page.click(".notice form button");
  await until("a bad one is told", async () =>
    /three parts of base64url/.test(await notice.textContent()));
  await visitor.page.fill(".notice input", `  ${token("player")}\n`);
  await visitor.page.click(".notice form button");
  await visitor.joined();
  await until("the role is shown", () => shown(visitor, ".people .role"));
  check("it is that of the token",
    (await visitor.page.textContent(".people .role")) === "player");
  check("a player has no controls of the world", !(await shown(visitor, ".controls")));
  await picture(visitor, "token-player");
  const block = await visitor.settled("block1");
  const from = await visitor.screen(block.x, block.y);
  const to = await visitor.screen(block.x, block.y + 1.5);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(to.x, to.y, { steps: 5 });
  await until("a player drags", async () => (await visitor.body("block1")).y > block.y + 0.5);
  await visitor.page.mouse.up();
}

async function takesATokenFromTheAddress(context) {
  const { own, token } = await guarded(context);
  const text = token("observer");
  const visitor = await context.visitAt(own.origin, `/?world=contact-3#token=${text}`);
  await visitor.joined();
  const { href } = await visitor.page.evaluate(() => ({ href: location.href }));
  check("the address has no token any more", !href.includes("token"), href);
  check("no request has had it", visitor.requests.every((url) => !url.includes(text)));
  check("there are no cookies", (await visitor.context.cookies()).length === 0);
  await until("the role is shown", async () =>
    (await visitor.page.locator(".people .role").textContent()) === "observer");
  const block = await visitor.settled("block1");
  const from = await visitor.screen(block.x, block.y);
  await visitor.page.mouse.move(from.x, from.y);
  await visitor.page.mouse.down();
  await visitor.page.mouse.move(from.x + 80, from.y - 80, { steps: 5 });
  await visitor.page.mouse.up();
  await visitor.page.keyboard.press("p");
  check("an observer is told of no refusal", (await visitor.toasts("error")).length === 0);
  await visitor.page.keyboard.press("g");
  await until("the gallery opens", () => shown(visitor, ".card.scene"));
  check("scenes are for looking at", !(await shown(visitor, ".card.scene .buttons")));
  await picture(visitor, "token-observer");
  await visitor.page.reload();
  await visitor.joined();
}

/** On a busy machine a page may take longer than a short token is valid. */
const EXPIRES_S = [4, 15, 60];

async function saysThatATokenHasExpired(context) {
  const { own, token } = await guarded(context);
  const visitors = [];
  const isOver = async (visitor) =>
    /Your token has expired/.test(await visitor.page.locator(".notice").textContent());
  /** A window in which all controls of an operator were seen; null: the token expired before. */
  const visitFor = async (seconds) => {
    const text = token("operator", "--expires", `${seconds}s`);
    const visitor = await context.visitAt(own.origin, `/#token=${text}`);
    visitors.push(visitor);
    const seen = await until("an operator has it all", async () => {
      const { worldState } = await visitor.state();
      const hasAll = worldState === "joined" && (await shown(visitor, ".controls"));
      return hasAll ? "all" : (await isOver(visitor)) && "the end";
    });
    return seen === "all" ? visitor : null;
  };
  let visitor = null;
  for (const seconds of EXPIRES_S) {
    visitor ??= await visitFor(seconds);
  }
  check("some token lasts until the page is there", visitor !== null);
  await until("the page says that it is over", () => isOver(visitor));
  const notice = visitor.page.locator(".notice");
  await picture(visitor, "token-expired");
  await visitor.page.fill(".notice input", token("instructor"));
  await visitor.page.click(".notice form button");
  await until("another one goes on", async () => notice.isHidden());
  check("an instructor has controls", await shown(visitor, ".controls"));
  for (const one of visitors) { // requests with the expired token
    one.problems = one.problems.filter((text) => !/status of 401/.test(text));
  }
}

/** Everyone below instructor continues in a world of their own; the instructor stays. */
async function everyStudentHasAFork(context) {
  const { own, token } = await guarded(context);
  const visit = async (role) => (await context.visitAt(own.origin,
    `/?world=contact-2#token=${token(role)}`)).joined();
  const teacher = await visit("instructor");
  const students = [await visit("player"), await visit("player")];
  const button = teacher.page.getByRole("button", { name: "A fork for each" });
  check("a student has no such button", !(await shown(students[0], ".time-bar .each")));
  await until("there is a past", () =>
    teacher.page.locator(".time-bar").evaluate((bar) => !bar.inert));
  await until("all three are there", async () => (await teacher.state()).people === 3);
  await button.click();
  const worlds = await Promise.all(students.map((student) =>
    until("a student is in a fork that runs", async () => {
      const { world, worldState, running } = await student.state();
      return world !== "contact-2" && worldState === "joined" && running && world;
    })));
  check("each in their own", worlds[0] !== worlds[1], worlds.join(" "));
  for (const student of students) {
    await student.told(/a world of your own now/);
    await until("alone", async () => (await student.state()).people === 1);
    await picture(student, "student-fork");
  }
  check("who instructs stays", (await teacher.state()).world === "contact-2");
  await picture(teacher, "teacher-fork");
}

export default [
  ["who has no token is asked for one", isAskedForAToken],
  ["a token is taken from the address, and no request has it", takesATokenFromTheAddress],
  ["the page says that a token has expired", saysThatATokenHasExpired],
  ["an instructor gives every student a fork", everyStudentHasAFork],
];
