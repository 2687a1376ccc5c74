/** vitest.peer.config.ts: the npm module ws against the daemon that CAIRND names. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["peer/*.test.mjs"], reporters: ["default"], testTimeout: 180_000, hookTimeout: 180_000 },
});
