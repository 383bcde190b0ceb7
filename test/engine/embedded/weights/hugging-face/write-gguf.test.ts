import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { PlannedTensor } from "../../../../../src/engine/embedded/weights/hugging-face/plan-conversion.js";
import { ggufPadding, writeGguf } from "../../../../../src/engine/embedded/weights/hugging-face/write-gguf.js";
import { GGML_TYPE } from "../../../../../src/engine/embedded/weights/model-template.js";

const CHUNK = 1 << 22;
const METADATA = { version: 3, pairs: 0n, bytes: new Uint8Array(), alignment: 32, split: false };

/** Writes a tensor of zeros in 16 bits. Returns how many bytes were read at once, and those after the header. */
async function write(rows: number, columns: number, heads?: number) {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-gguf-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const read: number[] = [];
  const file = {
    bytes: async (_: unknown, at: number, length: number) => {
      expect(at).toBe(read.reduce((sum, each) => sum + each, 0));
      read.push(length);
      return new Uint8Array(length);
    },
  };
  const entry = { name: "q", dtype: "BF16", shape: [rows, columns], start: 7, end: 7 + 2 * rows * columns };
  const planned = {
    tensor: { name: "blk.0.attn_q.weight", shape: [columns, rows], type: GGML_TYPE.BF16 },
    source: { from: "checkpoint", found: { path: "q.safetensors", file, entry }, dtype: "BF16", heads },
  } as unknown as PlannedTensor;
  await writeGguf(join(folder, "model.gguf"), METADATA, [planned]);
  const header = 24 + 8 + "blk.0.attn_q.weight".length + 4 + 16 + 4 + 8;
  return { read, bytes: readFileSync(join(folder, "model.gguf")).length - header - ggufPadding(header, 32).length };
}

it("weights pass through in pieces", async () => {
  const { read, bytes } = await write(2048 + 1, 2048);
  expect(read).toEqual([CHUNK, CHUNK, 2 * 2048]);
  expect(bytes).toBe(2 * 2049 * 2048);
});

it("the pieces of attention heads are whole heads", async () => {
  const head = 2 * 2048 * 96;
  expect((await write(96 * 12, 2048, 12)).read).toEqual([10 * head, 2 * head]);
});

it("a head that is larger than a piece is one piece", async () => {
  expect((await write(4096, 2048, 2)).read).toEqual([2 * CHUNK, 2 * CHUNK]);
});

it("is padded to the alignment", async () => {
  expect((await write(1, 5)).bytes).toBe(32);
  expect([0, 1, 31, 32, 33].map((length) => ggufPadding(length, 32).length)).toEqual([0, 31, 1, 0, 31]);
});
