import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { BatchFile, BatchFileError } from "../../src/batch-file/batch-file.js";
import type { Batch } from "../../src/session/batch/batch.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { makePng } from "../helpers/images.js";
import { turn, user } from "../helpers/turn.js";
import { encodeTensors, tensor } from "./tensors.js";

/** A batch of two sessions, one of them in a group. */
async function exportBatch(options: object = {}): Promise<Batch> {
  const store = new TrajectoryStore();
  const ids = ["s", "t"];
  for (const [index, sessionId] of ids.entries()) {
    const session = store.createSession({ sessionId, ...(index === 0 ? {} : { groupId: "g" }) });
    const image = { offset: 0, length: 1, bytes: Uint8Array.from(makePng(4, 3, 30)) };
    session.record({ ...turn([user("a")], [1, 2], [3, 4]), images: [image] });
    session.setReward(index + 0.5);
    session.end();
  }
  return await store.exportBatch(ids, options);
}

const LAYOUTS = ["padded", "packed", "tree"] as const;

describe("BatchFile", () => {
  it.each(LAYOUTS)("has the tensors of a %s batch as views of its bytes", async (layout) => {
    using batch = await exportBatch({ layout, ...(layout !== "tree" && { turns: true, style: "concat" }) });
    const file = BatchFile.fromBytes(batch.bytes);
    expect(file.layout).toBe(layout);
    expect(file.names.toSorted()).toEqual(Object.keys(batch.tensors).toSorted());
    for (const name of file.names) {
      expect(file.describe(name)).toEqual(batch.tensors[name as "input_ids"]);
      expect(file.tensor(name).buffer).toBe(batch.bytes.buffer);
    }
  });

  it("gives each tensor its type by its name", async () => {
    using batch = await exportBatch();
    const file = BatchFile.fromBytes(batch.bytes);
    expectTypeOf(file.tensor("logprobs")).toEqualTypeOf<Float32Array>();
    expectTypeOf(file.tensor("input_ids")).toEqualTypeOf<Int32Array>();
    expect(file.tensor("logprobs")).toBeInstanceOf(Float32Array);
    expect(file.tensor("loss_mask")).toBeInstanceOf(Int32Array);
  });

  it("describes rows with the words of Python's Batch", async () => {
    using batch = await exportBatch({ turns: true, style: "concat", discount: 0.5 });
    const file = BatchFile.fromBytes(batch.bytes);
    expect(file.length).toBe(2);
    expect(file.discount).toBe(0.5);
    expect([...file.rewards]).toEqual([0.5, 1.5]);
    expect(file.sessionIds).toEqual(["s", "t"]);
    expect(file.groups).toEqual(["session:s", "g"]);
    expect(file.rows.map(({ length }) => length)).toEqual([4, 4]);
    expect([...file.column("turns")]).toEqual([1, 1]);
    expect([...file.turnColumn("start")]).toEqual([2, 2]);
    expect(file.texts("finish_reason")).toEqual(["stop", "stop"]);
    expect(file.texts("finish_reason", { turns: true })).toEqual(["stop", "stop"]);
    expect(file.texts("tag")).toEqual([null, null]);
  });

  it("has one finish reason per row, or per turn", () => {
    const tensors = { row_finish_reason: tensor("I32", [1, 2]), turn_finish_reason: tensor("I32", [0, 0, -1, 1]) };
    const metadata = { layout: "packed", row_codes: JSON.stringify({ finish_reason: ["stop", "length"] }) };
    const file = BatchFile.fromBytes(encodeTensors(tensors, metadata));
    expect(file.texts("finish_reason")).toEqual(["length", null]);
    expect(file.texts("finish_reason", { turns: true })).toEqual(["stop", "stop", null, "length"]);
    const uncoded = BatchFile.fromBytes(encodeTensors(tensors, { layout: "packed" }));
    expect(uncoded.texts("finish_reason")).toEqual([null, null]);
  });

  it("has the rewards of nodes in a tree, and no discount if none was asked for", async () => {
    using batch = await exportBatch({ layout: "tree" });
    const file = BatchFile.fromBytes(batch.bytes);
    expect([...file.rewards]).toEqual([0.5, 1.5]);
    expect(file.discount).toBe(1);
    expect(BatchFile.fromBytes(encodeTensors({}, { layout: "packed" })).discount).toBe(1);
    expect([file.has("node_rewards"), file.has("rewards")]).toEqual([true, false]);
  });

  it("reads bytes at which no typed array can begin", async () => {
    using batch = await exportBatch();
    const moved = new Uint8Array(batch.byteLength + 1).subarray(1);
    moved.set(batch.bytes);
    expect(BatchFile.fromBytes(moved).tensor("input_ids")).toEqual(batch.tensors.input_ids.data);
  });

  it("opens a file", async () => {
    using batch = await exportBatch();
    const path = join(temporaryFolder(), "batch.safetensors");
    writeFileSync(path, batch.bytes);
    const file = await BatchFile.open(path);
    expect(file.tensor("input_ids")).toEqual(batch.tensors.input_ids.data);
  });

  it("reads the types of tensors that a batch may have, wherever they lie in a file", async () => {
    const numbers = [1, 2, 300].map((number) => number % 256);
    const tensors = {
      byte: tensor("U8", [7]),
      ints: tensor("I32", numbers),
      floats: tensor("F32", numbers),
      longs: tensor("I64", numbers),
      shorts: tensor("U16", numbers),
      bytes: tensor("U8", numbers),
      flags: tensor("BOOL", [1, 0, 1]),
      brief: tensor("BF16", numbers),
    };
    const path = join(temporaryFolder(), "batch.safetensors");
    writeFileSync(path, encodeTensors({ ...tensors, input_ids: tensor("F32", [1]) }, { layout: "packed" }));
    const file = await BatchFile.open(path);
    expect(file.describe("ints")).toEqual({ dtype: "I32", shape: [3], data: Int32Array.from(numbers) });
    expect(file.describe("floats")).toEqual({ dtype: "F32", shape: [3], data: Float32Array.from(numbers) });
    expect(file.describe("longs")).toEqual({ dtype: "I64", shape: [3], data: BigInt64Array.from(numbers, BigInt) });
    expect(file.describe("shorts")).toEqual({ dtype: "U16", shape: [3], data: Uint16Array.from(numbers) });
    expect(file.describe("bytes")).toEqual({ dtype: "U8", shape: [3], data: Uint8Array.from(numbers) });
    expect(file.describe("flags")).toEqual({ dtype: "BOOL", shape: [3], data: Uint8Array.of(1, 0, 1) });
    expect(() => file.tensor("brief")).toThrow("A tensor of a batch cannot have dtype BF16.");
    expect(() => file.tensor("input_ids")).toThrow("Tensor `input_ids` must have dtype I32; it has F32.");
  });

  it("names a tensor that the batch lacks, and refuses what is not a batch", async () => {
    using batch = await exportBatch();
    const file = BatchFile.fromBytes(batch.bytes);
    expect(() => file.turnColumn("start")).toThrow(
      new BatchFileError("batch_mismatch", "The batch has no tensor `turn_start`."),
    );
    const header = new TextEncoder().encode(JSON.stringify({ __metadata__: { layout: "rows" } }));
    const other = new Uint8Array(8 + header.length);
    new DataView(other.buffer).setBigUint64(0, BigInt(header.length), true);
    other.set(header, 8);
    expect(() => BatchFile.fromBytes(other)).toThrow(/no known `layout`/);
    expect(() => BatchFile.fromBytes(new Uint8Array(4))).toThrow(/not a safetensors file/);
  });
});
