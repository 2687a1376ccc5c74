/** worker.ts: the thread of the page's predictor. */
import { serveEngines } from "@cairn/play/worker";

serveEngines("/engine");
