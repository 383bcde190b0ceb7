import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSafetensors } from "../helpers/safetensors.js";
import { runRolltape, temporaryFolder } from "./rolltape.js";

/** Returns the distinct positions at which the second cells of a printed table start. */
function columnStarts(text: string, heading: string): number[] {
  const [table = ""] = new RegExp(`^${heading} [^]*?(?=\n\n)`, "m").exec(text) ?? [];
  return [...new Set(table.split("\n").map((line) => /^\S+ +/.exec(line)?.[0].length ?? -1))];
}

describe("rolltape demo", () => {
  it("runs a dozen episodes and writes their batch", { timeout: 120_000 }, async () => {
    const out = join(temporaryFolder(), "new", "batch.safetensors");
    const { code, stderr, stdout } = await runRolltape(["demo", "--out", out]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/episodes 12\/12 {2}reward mean \d\.\d{3}\n$/);
    expect(columnStarts(stdout, "episode")).toHaveLength(1);
    expect(columnStarts(stdout, "tensor")).toHaveLength(1);
    const { tensors } = readSafetensors(await readFile(out));
    expect(tensors["rewards"]?.shape[0]).toBeGreaterThan(12);
  });
});
