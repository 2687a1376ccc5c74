/** main.ts: starts the lab, or says why it can not. */
import { element } from "./dom";
import { Lab, openSession } from "./lab";
import { type Probe, makeProbe } from "./probe";
import { takeTokenFromAddress } from "./token";

declare global {
  interface Window {
    cairn?: Probe;
  }
}

const root = document.getElementById("lab")!;
takeTokenFromAddress();
const session = openSession(); // a thread, a socket and a greeting take as long as a renderer
try {
  const lab = new Lab(root, session);
  window.cairn = makeProbe(lab);
  lab.start();
} catch (error) {
  session.connection.stop();
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(
    element("p", { class: "fatal", role: "alert" },
      `The lab can not be drawn here: ${text} It needs a browser with WebGL 2.`),
  );
}
