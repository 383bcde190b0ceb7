import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { BatchTokens } from "../../src/batch-file/batch-tokens.js";
import type { TensorBytes } from "../../src/batch-file/tensor-ranges.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { encodeTensors, openTensors, tensor } from "./tensors.js";

const METADATA = {
  rows: JSON.stringify([
    { session_id: "a", interaction_id: "1", length: 3 },
    { session_id: "b", task_id: "t", group_id: "g", split: "eval", interaction_id: "1", length: 5 },
    { session_id: "a", interaction_id: "2", length: 3 },
  ]),
  images: '[{"sha256":"d"}]',
  model_digest: "digest",
  moe_layers: "[1,2]",
  channels: '[{"name":"values","of":"sequence","mask":"values_mask"}]',
};

/** A tree of a root, a child that continues it, and another root. */
const TREE = {
  input_ids: tensor("I32", [10, 11, 12, 13, 14, 15, 16, 17]),
  logprobs: tensor("F32", [0, -0.5, -1, -1.5, -2, -2.5, -3, -3.5]),
  loss_mask: tensor("I32", [0, 1, 1, 0, 1, 0, 0, 1]),
  versions: tensor("I32", [-1, 1, 1, -1, 2, -1, -1, 3]),
  node_offsets: tensor("I32", [0, 3, 5, 8]),
  node_parents: tensor("I32", [-1, 0, -1]),
  node_lengths: tensor("I32", [3, 5, 3]),
  row_temperature: tensor("F32", [0.5, 0, -1]),
  values: tensor("F32", [0, 1, 2, 3, 4, 5, 6, 7]),
  values_mask: tensor("BOOL", [1, 1, 1, 1, 0, 1, 1, 1]),
  image_row: tensor("I32", [1]),
  image_file: tensor("I32", [0]),
  image_offset: tensor("I32", [1]),
  image_length: tensor("I32", [1]),
  image_width: tensor("I32", [8]),
  image_height: tensor("I32", [6]),
};

async function open(file: TensorBytes = openTensors(TREE, METADATA)): Promise<BatchTokens> {
  const batch = await BatchTokens.read(file);
  if (!batch) throw new Error("This is no batch.");
  return batch;
}

it("reads any part of a row's tokens, across nodes of a tree", async () => {
  const batch = await open();
  expect([0, 1, 2].map((row) => batch.length(row))).toEqual([3, 5, 3]);
  expect(await batch.read(1, 1, 5)).toEqual({
    ids: Int32Array.of(11, 12, 13, 14),
    logprobs: Float32Array.of(-0.5, -1, -1.5, -2),
    lossMask: Int32Array.of(1, 1, 0, 1),
    versions: Int32Array.of(1, 1, -1, 2),
  });
  expect((await batch.read(1, 5, 9)).ids).toEqual(new Int32Array(0));
});

it("has zeros for values that the file lacks", async () => {
  const { logprobs: _, versions: __, ...others } = TREE;
  expect(await (await open(openTensors(others, METADATA))).read(0, 0, 2)).toEqual({
    ids: Int32Array.of(10, 11),
    logprobs: Float32Array.of(0, 0),
    lossMask: Int32Array.of(0, 1),
    versions: Int32Array.of(0, 0),
  });
});

it("reads the channels of a row's tokens", async () => {
  const batch = await open();
  const [channel] = batch.channels;
  if (!channel) throw new Error("There is no channel.");
  expect(await batch.readColumn(1, channel, 2, 5)).toEqual([2, 3, null]);
  expect(await batch.readItems(1, channel, 3, 9)).toEqual({ values: [3], total: 1 });
  expect(await batch.readItems(1, channel, 5, 9)).toBeNull();
});

it("places images in the sequence of their row", async () => {
  const batch = await open();
  expect(await batch.readImages(1)).toEqual([{ sha256: "d", width: 8, height: 6, offset: 4, length: 1 }]);
  expect(await batch.readImages(0)).toEqual([]);
});

it("has the temperature of a row if it is above 0", async () => {
  const batch = await open();
  expect(await Promise.all([0, 1, 2, 3].map((row) => batch.temperature(row)))).toEqual([
    0.5,
    undefined,
    undefined,
    undefined,
  ]);
  const { row_temperature: _, ...others } = TREE;
  expect(await (await open(openTensors(others, METADATA))).temperature(0)).toBeUndefined();
});

it("has the model and its layers with experts, if the file names them", async () => {
  expect(await open()).toMatchObject({ modelDigest: "digest", moeLayers: [1, 2] });
  const { model_digest: _, moe_layers: __, ...others } = METADATA;
  expect(await open(openTensors(TREE, others))).toMatchObject({ modelDigest: undefined, moeLayers: undefined });
});

it("finds rows by session and interaction", async () => {
  const { rows } = await open();
  expect([...rows.sessions()]).toEqual(["a", "b"]);
  expect([rows.ofSession("a"), rows.ofSession("b"), rows.ofSession("c")]).toEqual([[0, 2], [1], []]);
  expect([rows.find("a", "1"), rows.find("a", "2"), rows.find("b", "1")]).toEqual([0, 2, 1]);
  expect([rows.find("b", "2"), rows.find("c", "1")]).toEqual([undefined, undefined]);
  expect(rows.all.slice(0, 2)).toEqual([
    { session_id: "a", task_id: null, group_id: null, split: "train", interaction_id: "1", length: 3 },
    { session_id: "b", task_id: "t", group_id: "g", split: "eval", interaction_id: "1", length: 5 },
  ]);
});

it("opens a file on disk", async () => {
  const path = join(temporaryFolder(), "batch.safetensors");
  writeFileSync(path, encodeTensors(TREE, METADATA));
  await using batch = await BatchTokens.open(path);
  expect((await batch?.read(0, 0, 1))?.ids).toEqual(Int32Array.of(10));
});

function watchClosing(file: TensorBytes) {
  const closed = vi.fn<() => Promise<void>>(() => Promise.resolve());
  return { file: { ...file, [Symbol.asyncDispose]: closed } satisfies TensorBytes, closed };
}

it("closes its file when it is closed, or if it is no batch", async () => {
  const { file, closed } = watchClosing(openTensors(TREE, METADATA));
  {
    await using _ = await open(file);
    expect(closed).not.toHaveBeenCalled();
  }
  expect(closed).toHaveBeenCalledTimes(1);
  const other = watchClosing(openTensors({ weights: tensor("F32", [1]) }));
  expect(await BatchTokens.read(other.file)).toBeUndefined();
  expect(other.closed).toHaveBeenCalledTimes(1);
});

it("closes its file if it cannot be read", async () => {
  const { file, closed } = watchClosing(openTensors({ ...TREE, cu_seqlens: tensor("I32", [0]) }, METADATA));
  const broken = { ...file, bytes: () => Promise.reject(new Error("disk failed")) };
  await expect(BatchTokens.read(broken)).rejects.toThrow("disk failed");
  expect(closed).toHaveBeenCalledTimes(1);
});
