/** vite.config.ts: bundles plain files without inline scripts, as a strict CSP requires. */
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { "/v1": { target: "http://127.0.0.1:7878", ws: true, changeOrigin: true } },
  },
});
