/** worker.ts: the thread of the predictor. */
import { serveEngines } from "@cairn/play/worker";

serveEngines("/engine");
