import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { LLAMA_VERSION } from "../../src/engine/embedded/import-llama.js";

const PACKAGE = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
};

// node-llama-cpp refuses binaries of another version.
it("the bundled node-llama-cpp, its binaries and the instructions to install them have one version", () => {
  expect(PACKAGE.devDependencies["node-llama-cpp"]).toBe(LLAMA_VERSION);
  const binaries = Object.entries(PACKAGE.optionalDependencies).filter(([name]) => name.startsWith("@node-llama-cpp/"));
  expect(binaries.length).toBeGreaterThan(0);
  for (const binary of binaries) expect(binary).toEqual([binary[0], LLAMA_VERSION]);
});
