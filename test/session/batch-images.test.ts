import { describe, expect, it } from "vitest";
import { BatchFile } from "../../src/batch-file/batch-file.js";
import type { StoreExportOptions } from "../../src/session/trajectory-store.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { digestOf, makePng } from "../helpers/images.js";
import { assistant, turn, user } from "../helpers/turn.js";

/** The images of batches. The model of batches in test/helpers/export-model has images of one token; these have several. */

const DARK = Uint8Array.from(makePng(4, 3, 30));
const LIGHT = Uint8Array.from(makePng(8, 6, 255));
const PAD = 9;
/** Lengths of the four rows. */
const FULL = [5, 10, 7, 4];

/**
 * Records two sessions. In the first, call 0 shows a red image, call 1 continues it and adds a blue one, and call 2 continues call 0
 * with other tokens and another red one. The second session shows the blue image.
 */
function fillStore(): TrajectoryStore {
  const store = new TrajectoryStore();
  const a = store.createSession({ sessionId: "a" });
  const red = { offset: 1, length: 2, bytes: DARK };
  const first = [user("1")];
  a.record({ ...turn(first, [1, PAD, PAD, 2], [3]), images: [red] });
  const blue = { offset: 5, length: 3, bytes: LIGHT };
  const next = [...first, assistant("ok"), user("2")];
  a.record({ ...turn(next, [1, PAD, PAD, 2, 3, PAD, PAD, PAD, 4], [5]), images: [red, blue] });
  const again = { offset: 4, length: 2, bytes: DARK };
  a.record({ ...turn([...next.slice(0, 2), user("3")], [1, PAD, PAD, 2, PAD, PAD], [6]), images: [red, again] });
  const b = store.createSession({ sessionId: "b" });
  b.record({ ...turn(first, [PAD, PAD, PAD], [7]), images: [{ offset: 0, length: 3, bytes: LIGHT }] });
  a.end();
  b.end();
  return store;
}

async function exportFile(options: StoreExportOptions): Promise<BatchFile> {
  const batch = await fillStore().exportBatch(["a", "b"], options);
  return BatchFile.fromBytes(batch.bytes);
}

/** Returns the file and the tokens of each image, by the interaction of its row. */
function readImages(batch: BatchFile, startOf: (row: number) => number) {
  const ids = batch.tensor("input_ids");
  expect([...batch.tensor("mm_token_type_ids")]).toEqual(Array.from(ids, (id) => (id === PAD ? 1 : 0)));
  const [ends, bytes] = [batch.tensor("image_bytes_offsets"), batch.tensor("image_bytes")];
  const sizes = [batch.tensor("image_width"), batch.tensor("image_height")];
  return Array.from(batch.tensor("image_row"), (row, i) => {
    const file = batch.tensor("image_file")[i] ?? -1;
    const start = startOf(row) + (batch.tensor("image_offset")[i] ?? 0);
    const image = bytes.subarray(Number(ends[file]), Number(ends[file + 1]));
    expect(JSON.parse(batch.metadata["images"] ?? "[]")[file]).toEqual({
      sha256: digestOf(image),
      media_type: "image/png",
    });
    expect(sizes.map((size) => size[i])).toEqual(digestOf(image) === digestOf(DARK) ? [4, 3] : [8, 6]);
    return {
      row,
      image: digestOf(image) === digestOf(DARK) ? "red" : "blue",
      ids: [...ids.subarray(start, start + (batch.tensor("image_length")[i] ?? 0))],
    };
  });
}

const red = (row: number) => ({ row, image: "red", ids: [PAD, PAD] });
const blue = (row: number) => ({ row, image: "blue", ids: [PAD, PAD, PAD] });

describe("the images of a batch", () => {
  it.each([
    ["right", (_: number, width: number, row: number) => row * width],
    ["left", (length: number, width: number, row: number) => (row + 1) * width - length],
  ] as const)("are at their tokens in padded rows, padding on the %s not counted", async (padSide, startOf) => {
    const batch = await exportFile({ padSide, padToMultipleOf: 16 });
    const images = readImages(batch, (row) => startOf(batch.rows[row]?.length ?? 0, 16, row));
    expect(images).toEqual([red(0), red(1), blue(1), red(2), red(2), blue(3)]);
  });

  it("are those of the whole sequence in rows of style concat", async () => {
    const batch = await exportFile({ layout: "packed", style: "concat", onMismatch: "split", rowTensors: false });
    const starts = batch.tensor("cu_seqlens");
    expect(readImages(batch, (row) => starts[row] ?? -1)).toEqual([red(0), blue(0), red(1), red(1), blue(2)]);
  });

  it("are in a tree once, at the node that has their tokens", async () => {
    const batch = await exportFile({ layout: "tree" });
    const starts = batch.tensor("node_offsets");
    expect(readImages(batch, (row) => starts[row] ?? -1)).toEqual([red(0), blue(1), red(2), blue(3)]);
  });

  it("have each file once", async () => {
    const batch = await exportFile({});
    expect(batch.tensor("image_bytes")).toEqual(Uint8Array.from([...DARK, ...LIGHT]));
    expect([...batch.tensor("image_bytes_offsets")]).toEqual([
      0n,
      BigInt(DARK.length),
      BigInt(DARK.length + LIGHT.length),
    ]);
  });

  it.each([
    [8, [5, 8, 7, 4], ["red", "red", "blue", "red", "red", "blue"]],
    [7, [5, 5, 7, 4], ["red", "red", "red", "red", "blue"]],
    [5, [5, 5, 4, 4], ["red", "red", "red", "blue"]],
    [3, [3, 3, 3, 3], ["red", "red", "red", "blue"]],
    [2, [1, 1, 1, 0], []],
  ])(
    "are whole: rows of at most %i tokens end before an image that does not fit",
    async (maxLength, lengths, images) => {
      const batch = await exportFile({ layout: "packed", maxLength, overflow: "truncate" });
      const starts = [...batch.tensor("cu_seqlens")];
      expect(batch.rows.map(({ length }) => length)).toEqual(lengths);
      expect(starts).toEqual([0, ...lengths.map((_, i) => lengths.slice(0, i + 1).reduce((a, b) => a + b))]);
      expect([...batch.column("truncated")]).toEqual(lengths.map((length, i) => Number(length < (FULL[i] ?? 0))));
      const found = batch.has("image_row") ? readImages(batch, (row) => starts[row] ?? -1) : [];
      expect(found.map(({ image }) => image)).toEqual(images);
    },
  );

  it("are in the shard of their row, with the files of that shard only", async () => {
    const shards = await fillStore().exportShards(["a", "b"], { shards: 4 });
    const read = shards.map(({ bytes }) => BatchFile.fromBytes(bytes));
    expect(read.map((batch) => readImages(batch, () => 0).map(({ image }) => image))).toEqual([
      ["red", "blue"],
      ["red", "red"],
      ["red"],
      ["blue"],
    ]);
    const files = read.map((batch) => batch.tensor("image_bytes"));
    expect(files).toEqual([Uint8Array.from([...DARK, ...LIGHT]), DARK, DARK, LIGHT]);
  });

  it("have their files beside the batch with `imageBytes: files`, each once", async () => {
    const options = { rowTensors: false } as const;
    const batch = await fillStore().exportBatch(["a", "b"], { ...options, imageBytes: "files" });
    expect(batch.imageFiles).toEqual([
      { sha256: digestOf(DARK), mediaType: "image/png", bytes: DARK },
      { sha256: digestOf(LIGHT), mediaType: "image/png", bytes: LIGHT },
    ]);
    const read = BatchFile.fromBytes(batch.bytes);
    const whole = await exportFile(options);
    expect(whole.names.filter((name) => !read.names.includes(name))).toEqual(["image_bytes_offsets", "image_bytes"]);
    expect(read.names).toContain("mm_token_type_ids");
    for (const name of read.names) expect(read.describe(name)).toEqual(whole.describe(name));
    expect(read.metadata["images"]).toBe(whole.metadata["images"]);
    const shards = await fillStore().exportShards(["a", "b"], { shards: 4, imageBytes: "files" });
    expect(shards.map(({ imageFiles }) => imageFiles.map(({ sha256 }) => sha256))).toEqual([
      [digestOf(DARK), digestOf(LIGHT)],
      [digestOf(DARK)],
      [digestOf(DARK)],
      [digestOf(LIGHT)],
    ]);
  });

  it("are absent if no row has one", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1], [2]));
    session.record({ ...turn([user("b")], [PAD, PAD], [2]), images: [{ offset: 0, length: 2, bytes: DARK }] });
    session.end();
    const { bytes } = await store.exportBatch(["s"], { maxLength: 2, overflow: "drop" });
    const batch = BatchFile.fromBytes(bytes);
    expect(batch.length).toBe(1);
    expect(batch.names.filter((name) => /^(image_|mm_)/.test(name))).toEqual([]);
    expect(batch.metadata["images"]).toBeUndefined();
  });
});

it.each(["image_row", "mm_token_type_ids"])("refuses a channel with the name %s of an image tensor", (name) => {
  const session = new TrajectoryStore().createSession({ sessionId: "s" });
  const channel = { name, dtype: "I32", shape: [], of: "output" } as const;
  const call = { ...turn([user("a")], [1], [2]), channels: [{ channel, first: 0, values: new Uint8Array(4) }] };
  expect(() => session.record(call)).toThrow(`channel ${name}: a tensor of a batch cannot have this name`);
});
