import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The files that node-llama-cpp reads, at the places where it looks for them from its own script. */
const RELEASE = { from: "llama/binariesGithubRelease.json", to: "dist/llama/binariesGithubRelease.json" };
const SCRIPT = "dist/bundle/[name].js";

/**
 * Bundles the JavaScript of node-llama-cpp, so that the npm package needs only the binaries of llama.cpp for the CPU
 * (`optionalDependencies`). As a dependency, node-llama-cpp would bring builds for GPUs of several hundred megabytes, and an
 * install script that may download and compile llama.cpp.
 */
export default defineConfig({
  root: path("."),
  logLevel: "warn",
  ssr: { noExternal: true, target: "node" },
  plugins: [addFiles()],
  build: {
    ssr: true,
    outDir: path("dist/engine/embedded/llama-cpp"),
    emptyOutDir: true,
    target: "node20",
    // The licenses of the bundled libraries require that their text travels with them.
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      // node-llama-cpp starts the file with this name in a process of its own, to see whether a binary works here.
      input: { testBindingBinary: path("src/engine/embedded/llama-cpp.ts") },
      // The binaries; and optional packages of features that Rolltape does not use.
      external: [/^@node-llama-cpp\//, /^@reflink\//, "electron", "typescript"],
      output: { entryFileNames: SCRIPT, codeSplitting: false },
    },
  },
});

function addFiles(): Plugin {
  const read = (name: string) => readFileSync(path(`node_modules/node-llama-cpp/${name}`), "utf8");
  return {
    name: "add-files",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: RELEASE.to, source: read(RELEASE.from) });
      // It refuses binaries of another version than its own.
      const { name, version, license, type } = JSON.parse(read("package.json")) as Record<string, string>;
      this.emitFile({
        type: "asset",
        fileName: "package.json",
        source: JSON.stringify({ name, version, license, type }),
      });
    },
  };
}
