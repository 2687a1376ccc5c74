/** vitest.peer.config.ts: the npm module ws against the daemon that CAIRND names. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["peer/*.test.mjs"], reporters: ["default"], testTimeout: 60_000, hookTimeout: 60_000 },
});
