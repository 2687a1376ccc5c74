/** visitor.mjs: one browser window at the lab, and what can be asked of it. */
import { check, until } from "./wait.mjs";

const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const PHONE = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

export class Visitor {
  static open(browser, origin, world, options = DESKTOP) {
    return Visitor.openAt(browser, origin, world === "" ? "/" : `/?world=${world}`, options);
  }

  static async openAt(browser, origin, path, options = DESKTOP) {
    const context = await browser.newContext(options);
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

  /** Waits until a body stands still; its pose. */
  settled(name) {
    let last = null;
    let still = 0;
    return until(`${name} is at rest`, async () => {
      const now = await this.body(name);
      const moved = last === null ? 1 : Math.hypot(now.x - last.x, now.y - last.y);
      still = moved < 1e-3 ? still + 1 : 0;
      last = now;
      return still >= 5 && now;
    });
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
