/** vite.config.ts: `@cairn/client/logic` as one file for Node. */
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    lib: { entry: "src/logic/index.ts", formats: ["es"], fileName: () => "logic.js" },
    target: "node20",
    minify: false,
  },
});
