import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { INDEX_FILE, readShardIndex } from "../../../src/support/safetensors/shard-index.js";

function write(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-index-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "model.safetensors.index.json"), JSON.stringify(content));
  return join(folder, INDEX_FILE);
}

it("lists the tensors of each file", async () => {
  const shards = await readShardIndex(
    write({ weight_map: { a: "1.safetensors", b: "2.safetensors", c: "1.safetensors" } }),
  );
  expect(Object.fromEntries(shards)).toEqual({
    "1.safetensors": new Set(["a", "c"]),
    "2.safetensors": new Set(["b"]),
  });
});

it("refuses an index that names a file of another folder, or is none", async () => {
  await expect(readShardIndex(write({ weight_map: { a: "../1.safetensors" } }))).rejects.toThrow("another folder");
  await expect(readShardIndex(write({ weights: {} }))).rejects.toThrow("weight_map");
});
