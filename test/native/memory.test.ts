import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { packed, sharedPool } from "./memory-support.js";
import { expectCode, planOptions, tensor, twoTurns, withAny } from "./support.js";

describe("memory of a batch", () => {
  it("is the heap by default, with no path", async () => {
    for (const memory of [undefined, "heap"] as const) {
      const batch = await packed(3, 7, memory);
      expect(batch).toMatchObject({ memory: "heap", path: undefined, taken: false });
      expect(batch.byteLength).toBe(batch.bytes.byteLength);
      expect(tensor(batch, "input_ids")).toEqual([7, 7, 7, 8]);
    }
  });

  it("holds the same bytes in every kind of memory", async () => {
    const pool = sharedPool(sharedDirectory());
    const [heap, shared] = await Promise.all([packed(1000, 7, "heap"), packed(1000, 7, pool)]);
    expect(Buffer.compare(heap.bytes, shared.bytes)).toBe(0);
    expect(shared.tensors).toEqual(heap.tensors);
  });

  it("is fully overwritten if another batch used it before", async () => {
    const released = await packed(200_000, 9, "heap");
    released.release();
    const batch = await packed(150_000, 7, "heap");
    const fresh = await packed(150_000, 7, sharedPool(sharedDirectory()));
    expect(Buffer.compare(batch.bytes, fresh.bytes)).toBe(0);
  });

  it("is released by an acknowledgement if it is not shared", async () => {
    const batch = await packed(3, 7, "heap");
    const { bytes } = batch;
    batch.acknowledge();
    batch.acknowledge();
    batch.release();
    expect(bytes.byteLength).toBe(0);
    for (const use of ["bytes", "byteLength", "memory", "path", "taken"] as const) {
      expectCode("ERR_RELEASED", () => batch[use]);
    }
  });

  it("refuses an unknown kind by name", async () => {
    const plan = native.planBatch([twoTurns()], planOptions);
    for (const memory of ["shared", "", 1, null, {}, new native.Session()]) {
      await expect(plan.pack({}, { memory: withAny(memory) })).rejects.toMatchObject({
        code: "ERR_INVALID_ARG",
        message: expect.stringContaining("options.memory") as string,
      });
    }
  });
});

describe("pinned memory", () => {
  const pinned = native.pinnedMemory();

  it("is available or not for the whole life of the process", () => {
    expect(native.pinnedMemory()).toEqual(pinned);
    expect(pinned.reason === undefined).toBe(pinned.available);
  });

  it.runIf(pinned.available)("holds the same bytes as any other", async () => {
    const [batch, heap] = await Promise.all([packed(1000, 7, "pinned"), packed(1000, 7, "heap")]);
    expect(batch.memory).toBe("pinned");
    expect(Buffer.compare(batch.bytes, heap.bytes)).toBe(0);
    batch.release();
  });

  it.runIf(pinned.available)("can be that of a shared file", async () => {
    const pool = new native.SharedPool({ directory: sharedDirectory(), maxBytes: 64_000_000, pinned: true });
    for (const tokens of [1000, 200_000, 100]) {
      const [batch, heap] = await Promise.all([packed(tokens, 7, pool), packed(tokens, 7, "heap")]);
      expect(Buffer.compare(batch.bytes, heap.bytes)).toBe(0);
      batch.acknowledge();
    }
    pool.close();
  });

  it.skipIf(pinned.available)("fails with the reason if it is not available", async () => {
    const refused = { code: "ERR_PINNED_UNAVAILABLE", message: expect.stringContaining(pinned.reason ?? "") as string };
    await expect(packed(3, 7, "pinned")).rejects.toMatchObject(refused);
    const slots = new native.SharedPool({ directory: sharedDirectory(), maxBytes: 1_000_000, pinned: true });
    await expect(packed(3, 7, slots)).rejects.toMatchObject(refused);
    expect(slots.use).toEqual({ bytes: 0, freeSlots: 0, lentSlots: 0 });
  });
});
