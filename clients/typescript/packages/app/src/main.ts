/** main.ts: starts the lab, or shows why it cannot start. */
import { element } from "./base/dom";
import { takeTokenFromAddress } from "./people/token";
import { Lab, openSession } from "./lab";
import { type Probe, makeProbe } from "./probe";

declare global {
  interface Window {
    cairn?: Probe;
  }
}

const root = document.getElementById("lab")!;
takeTokenFromAddress();
const session = openSession(); // first, because it takes as long as the renderer
try {
  const lab = new Lab(root, session);
  window.cairn = makeProbe(lab);
  lab.start();
} catch (error) {
  session.connection.stop();
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element("p", { class: "fatal", role: "alert" },
      `The lab cannot start: ${text} It needs a browser with WebGL 2.`),
  );
}
