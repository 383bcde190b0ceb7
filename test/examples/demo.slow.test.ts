import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { readSafetensors } from "../helpers/safetensors.js";

const DEMO = fileURLToPath(new URL("../../examples/demo.ts", import.meta.url));
const TSX = createRequire(import.meta.url).resolve("tsx");

/** Returns the distinct positions at which the second cells of a printed table start. */
function columnStarts(text: string, heading: string): number[] {
  const [table = ""] = new RegExp(`^${heading} [^]*?(?=\n\n)`, "m").exec(text) ?? [];
  return [...new Set(table.split("\n").map((line) => /^\S+ +/.exec(line)?.[0].length ?? -1))];
}

describe("the README's demo", () => {
  it("runs a dozen episodes and writes their batch", { timeout: 120_000 }, async () => {
    const cwd = temporaryFolder();
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ["--import", TSX, DEMO], { cwd });
    expect(stderr).toMatch(/episodes 12\/12 {2}reward mean \d\.\d{3}\n$/);
    expect(columnStarts(stdout, "episode")).toHaveLength(1);
    expect(columnStarts(stdout, "tensor")).toHaveLength(1);
    const { tensors } = readSafetensors(await readFile(join(cwd, "out", "batch.safetensors")));
    expect(tensors["rewards"]?.shape[0]).toBeGreaterThan(12);
  });
});
