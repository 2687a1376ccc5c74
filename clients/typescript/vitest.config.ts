/** vitest.config.ts: unit tests of every package, in Node. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["packages/*/test/**/*.test.ts"], reporters: ["default"] },
});
