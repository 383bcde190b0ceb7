import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativeBatch, NativePlan, NativePrompt } from "../../src/native/contract.js";
import { expectCode, generation, ids, planOptions, tensor, twoTurns } from "./support.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Collects garbage and lets finalizers run. */
async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collect();
    await nextTurn();
  }
}

/** Returns a plan over a session that has no other reference. */
function orphanPlan(tokens: number): NativePlan {
  const session = new native.Session();
  session.record({
    prompt: session.prompt([new Int32Array(tokens).fill(7)]),
    generation: generation([8]),
    digests: native.digestMessages(["u"]),
    output: [],
  });
  return native.planBatch([session], planOptions);
}

describe("lifetimes of native objects", () => {
  it("packs a session that is garbage-collected meanwhile", async () => {
    const packing = orphanPlan(1_000_000).pack({});
    await collectGarbage();
    const batch = await packing;
    const packed = tensor(batch, "input_ids");
    expect(packed).toHaveLength(1_000_001);
    expect(packed.slice(0, -1).every((id) => id === 7)).toBe(true);
  });

  it("packs a session that is released meanwhile, and one that goes on recording", async () => {
    const released = twoTurns();
    const growing = twoTurns();
    const packing = native.planBatch([released, growing], planOptions).pack({});
    released.release();
    for (let turn = 0; turn < 2000; turn++) {
      growing.record({
        prompt: growing.prompt([ids(1)], turn + 1),
        generation: generation([2]),
        digests: native.digestMessages([String(turn)]),
        output: [],
        parent: turn + 1,
      });
    }
    growing.setReward(0, 5);
    const batch = await packing;
    expect(tensor(batch, "input_ids")).toEqual([
      1, 2, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 0, 0, 0, 1, 2, 3, 4, 5, 6,
    ]);
    expect(tensor(batch, "rewards")).toEqual([0, 0, 0, 0]);
  });

  it("keeps a plan's tokens after its sessions are gone", async () => {
    const plan = orphanPlan(1000);
    await collectGarbage();
    const batch = await plan.pack({});
    expect(tensor(batch, "input_ids").filter((id) => id === 7)).toHaveLength(1000);
  });

  it("keeps a prompt's tokens after its session is gone", async () => {
    const promptOf = (): NativePrompt => twoTurns().prompt([ids(7)], 1);
    const prompt = promptOf();
    await collectGarbage();
    expect(prompt.tokens()).toEqual(ids(1, 2, 3, 4, 5, 6, 7));
  });

  it("keeps a block as long as a view of it", async () => {
    const view = (await orphanPlan(100_000).pack({})).bytes;
    const first = Buffer.from(view.subarray(0, 400_000));
    await collectGarbage();
    await orphanPlan(100_000).pack({});
    expect(Buffer.compare(first, view.subarray(0, 400_000))).toBe(0);
  });

  it("detaches every view on release, which may be called twice", async () => {
    const batch: NativeBatch = await orphanPlan(100).pack({});
    const { bytes } = batch;
    const span = batch.tensors[0];
    const view = new Int32Array(bytes.buffer, span?.byteOffset, 101);
    expect(view).toHaveLength(101);
    batch.release();
    batch.release();
    expect(bytes.byteLength).toBe(0);
    expect(view).toHaveLength(0);
    expectCode("ERR_RELEASED", () => batch.bytes);
    await collectGarbage();
  });

  it("returns the same view every time", async () => {
    const batch = await orphanPlan(10).pack({});
    expect(batch.bytes).toBe(batch.bytes);
  });

  it("frees a released block immediately, and an unreachable one when it is garbage-collected", async () => {
    const held = (): number => process.memoryUsage.rss();
    const plan = orphanPlan(1_000_000);
    const before = held();
    for (let round = 0; round < 40; round++) {
      const batch = await plan.pack({});
      if (round % 2 === 0) batch.release();
      else await collectGarbage();
    }
    // There were 40 blocks of 17 MB. A few may not be freed yet.
    expect(held() - before).toBeLessThan(300_000_000);
  });

  it("holds a reply's body while it is read", async () => {
    const made = new native.Generation();
    const read = (): Promise<unknown> => {
      const pairs = Array.from({ length: 20_000 }, (_, id) => [-1, id, null]);
      return made.appendSglangReplyAsync(
        Buffer.from(JSON.stringify({ meta_info: { output_token_logprobs: pairs } })),
        0,
      );
    };
    const reading = read();
    await collectGarbage();
    await reading;
    expect(made.ids(19_999)).toEqual(ids(19_999));
  });

  it("works in a worker thread that ends while it packs", async () => {
    const addon =
      process.env["ROLLTAPE_ADDON_PATH"] ?? new URL("../../build/Release/rolltape.node", import.meta.url).pathname;
    const program = `
      const native = require(${JSON.stringify(addon)});
      const session = new native.Session();
      const generation = new native.Generation();
      generation.append(new Int32Array(1e6), new Float32Array(1e6), 0);
      session.record({ prompt: session.prompt([]), generation, digests: new Uint8Array(0), output: [] });
      const plan = native.planBatch([session], ${JSON.stringify(planOptions)});
      for (let i = 0; i < 8; i++) plan.pack({});
      plan.pack({}).then(() => {});
      require("node:worker_threads").parentPort.postMessage(plan.shape);
      setImmediate(() => process.exit());
    `;
    const worker = new Worker(program, { eval: true });
    const shape = await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    expect(shape).toEqual([1, 1_000_000]);
    await new Promise((resolve) => worker.once("exit", resolve));
  });
});
