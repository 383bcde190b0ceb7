import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Builds the viewer's page: one HTML file, one script and one style sheet, with relative addresses. */
export default defineConfig({
  root: path("src/view/page"),
  base: "./",
  logLevel: "warn",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: path("dist/view/page"),
    emptyOutDir: true,
    target: "es2023",
    // The strict content security policy allows no data: addresses for scripts and styles, and there are no others.
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    // The licenses of the libraries in the script require that their text travels with it.
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        codeSplitting: false,
      },
    },
  },
});
