import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativePlan, PlanOptions } from "../../src/native/contract.js";
import { expectCode, ids, planOptions, record, tensor, twoTurns, withAny } from "./support.js";

const planOf = (options: Partial<PlanOptions>, session = twoTurns()): NativePlan =>
  native.planBatch([session], { ...planOptions, ...options });

describe("a native plan", () => {
  it("has rows, shape and size", () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const plan = planOf({ discount: 0.5, padToMultipleOf: 4 }, session);
    expect(plan.rows).toEqual({
      length: 2,
      sessions: Uint32Array.of(0, 0),
      interactions: Uint32Array.of(0, 1),
      lengths: Uint32Array.of(3, 6),
      rewards: Float64Array.of(0.5, 1),
      uncountedRewards: Uint8Array.of(0, 0),
    });
    expect(plan.unrewardedRoots).toEqual({ count: 0, first: [] });
    expect(plan.maxShards).toBe(2);
    expect(plan.shape).toEqual([2, 8]);
    expect(plan.byteLength).toBe(2 * 8 * 17 + 2 * 4);
    expect(plan.mismatches).toEqual([]);
    expect(plan.overflows.length).toBe(0);
  });

  it("names children that are not token-exact, and cannot be packed then", async () => {
    const session = twoTurns();
    record(session, session.prompt([ids(1, 9, 3)]), [5], ["u", "a", "w"], ["c"]);
    record(session, session.prompt([ids(1)]), [5], ["u", "a", "x"], ["d"]);
    const plan = planOf({ style: "concat" }, session);
    expect(plan.mismatches).toEqual([
      { session: 0, parent: 0, child: 2, position: 1, parentToken: 2, childToken: 9 },
      { session: 0, parent: 0, child: 3, position: 1, parentToken: 2, childToken: -1 },
    ]);
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    await expect(plan.packJson(["", "", "", ""])).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    expect(planOf({ style: "concat", onMismatch: "split" }, session).rows.interactions).toEqual(
      Uint32Array.of(1, 2, 3),
    );
  });

  it("lists rows over the limit, and cannot be packed then", async () => {
    const plan = planOf({ maxLength: 5 });
    expect(plan.overflows).toMatchObject({ length: 1, interactions: Uint32Array.of(1), lengths: Uint32Array.of(6) });
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    const dropped = planOf({ maxLength: 5, overflow: "drop" });
    expect(dropped.rows).toHaveLength(1);
    expect(dropped.overflows).toHaveLength(1);
    expect(planOf({ maxLength: 5, overflow: "truncate" }).rows.lengths).toEqual(Uint32Array.of(3, 5));
  });

  it("packs a padded batch", async () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const batch = await planOf({ padTokenId: 99, padSide: "left", discount: 0.5 }, session).pack({});
    expect(tensor(batch, "input_ids")).toEqual([99, 99, 99, 1, 2, 3, 1, 2, 3, 4, 5, 6]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1]);
    expect(tensor(batch, "logprobs")).toEqual([0, 0, 0, 0, 0, -0.375, 0, 0, 0, 0, -0.625, -0.75]);
    expect(tensor(batch, "versions")).toEqual([-1, -1, -1, -1, -1, 0, -1, -1, -1, -1, 0, 0]);
    expect(tensor(batch, "attention_mask")).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(tensor(batch, "rewards")).toEqual([0.5, 1]);
  });

  it("packs concat rows with the outputs of every turn", async () => {
    const batch = await planOf({ style: "concat" }).pack({});
    expect(tensor(batch, "input_ids")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 1, 0, 1, 1]);
  });

  it("packs rows one after the other", async () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const plan = planOf({ layout: "packed", discount: 0.5 }, session);
    expect(plan.shape).toEqual([2, 6]);
    expect(plan.tokens).toBe(9);
    expect(plan.byteLength).toBe(9 * 21 + 3 * 4 + 2 * 4);
    const batch = await plan.pack({});
    expect(tensor(batch, "input_ids")).toEqual([1, 2, 3, 1, 2, 3, 4, 5, 6]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 1, 0, 0, 0, 0, 1, 1]);
    expect(tensor(batch, "logprobs")).toEqual([0, 0, -0.375, 0, 0, 0, 0, -0.625, -0.75]);
    expect(tensor(batch, "versions")).toEqual([-1, -1, 0, -1, -1, -1, -1, 0, 0]);
    expect(tensor(batch, "position_ids")).toEqual([0, 1, 2, 0, 1, 2, 3, 4, 5]);
    expect(tensor(batch, "attention_mask")).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(tensor(batch, "cu_seqlens")).toEqual([0, 3, 9]);
    expect(tensor(batch, "rewards")).toEqual([0.5, 1]);
  });

  it("packs every token of a tree once, the deepest branch first", async () => {
    const session = twoTurns();
    record(session, session.prompt([ids(1, 9)]), [7], ["u", "a", "w"], ["c"]);
    session.setReward(1, 1);
    const plan = planOf({ layout: "tree", style: "concat", discount: 0.5 }, session);
    expect(plan.rows.interactions).toEqual(Uint32Array.of(0, 1, 2));
    expect(plan.mismatches).toEqual([]);
    expect(plan.tokens).toBe(8);
    const batch = await plan.pack({});
    expect(plan.byteLength).toBe(batch.tensors.reduce((bytes, span) => bytes + span.byteLength, 0));
    expect(tensor(batch, "input_ids")).toEqual([1, 2, 3, 4, 5, 6, 9, 7]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 1, 0, 1, 1, 0, 1]);
    expect(tensor(batch, "position_ids")).toEqual([0, 1, 2, 3, 4, 5, 1, 2]);
    expect(tensor(batch, "subtree_end")).toEqual([8, 6, 6, 6, 6, 6, 8, 8]);
    expect(tensor(batch, "cu_trees")).toEqual([0, 8]);
    expect(tensor(batch, "node_offsets")).toEqual([0, 3, 6, 8]);
    expect(tensor(batch, "node_parents")).toEqual([-1, 0, 0]);
    expect(tensor(batch, "node_lengths")).toEqual([3, 6, 3]);
    expect(tensor(batch, "node_rewards")).toEqual([0.5, 1, 0]);
  });

  it("writes the same bytes on any number of threads", async () => {
    const session = twoTurns();
    for (const layout of ["padded", "packed", "tree"] as const) {
      const plan = planOf({ layout }, session);
      const one = await plan.pack({}, { threads: 1 });
      const many = await plan.pack({}, { threads: 8 });
      expect(Buffer.from(one.bytes)).toEqual(Buffer.from(many.bytes));
    }
  });

  it("writes a block that safetensors reads", async () => {
    const metadata = { rows: '[{"é":"\u0001😀\\n"}]', 'k"ey': "", __proto__x: "y" };
    const batch = await planOf({}).pack(metadata);
    const bytes = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength);
    const headerLength = Number(bytes.readBigUInt64LE(0));
    expect((8 + headerLength) % 64).toBe(0);
    const header = JSON.parse(bytes.toString("utf8", 8, 8 + headerLength)) as Record<string, unknown>;
    expect(header["__metadata__"]).toEqual(metadata);
    const data = 8 + headerLength;
    expect(batch.tensors.map((span) => span.name)).toEqual([
      "input_ids",
      "loss_mask",
      "logprobs",
      "versions",
      "rewards",
      "attention_mask",
    ]);
    for (const span of batch.tensors) {
      expect(header[span.name]).toEqual({
        dtype: span.dtype,
        shape: span.shape,
        data_offsets: [span.byteOffset - data, span.byteOffset + span.byteLength - data],
      });
    }
    const last = batch.tensors.at(-1);
    expect(last && last.byteOffset + last.byteLength).toBe(bytes.length);
  });

  it("packs nothing as an empty batch", async () => {
    const plan = native.planBatch([], { ...planOptions, padToMultipleOf: 64 });
    expect(plan.shape).toEqual([0, 0]);
    const batch = await plan.pack({});
    expect(tensor(batch, "input_ids")).toEqual([]);
    expect(batch.tensors[0]?.shape).toEqual([0, 0]);
    expect((await plan.packJson(["[]"])).toString()).toBe("[]");
  });

  it("packs JSON whose tensors decode to the padded ones", async () => {
    const plan = planOf({ style: "concat" });
    const text = (await plan.packJson(['{"é":', "}"])).toString("utf8");
    const dict = (JSON.parse(text) as Record<string, Record<string, { shape: number[]; dtype: string; data: string }>>)[
      "é"
    ];
    const batch = await plan.pack({});
    expect(Object.keys(dict ?? {})).toEqual([
      "input_ids",
      "loss_mask",
      "logprobs",
      "versions",
      "attention_mask",
      "rewards",
    ]);
    for (const [name, { shape, dtype, data }] of Object.entries(dict ?? {})) {
      const span = batch.tensors.find((candidate) => candidate.name === name);
      expect(shape).toEqual(span?.shape);
      expect(dtype).toBe({ I32: "torch.int32", F32: "torch.float32", BOOL: "torch.bool" }[span?.dtype ?? "I32"]);
      const start = span?.byteOffset ?? 0;
      expect(Buffer.from(data, "base64")).toEqual(
        Buffer.from(batch.bytes.subarray(start, start + (span?.byteLength ?? 0))),
      );
    }
  });

  it("says when a batch is more than one block can hold", async () => {
    const plan = planOf({ padToMultipleOf: 2 ** 28 });
    expect(plan.byteLength).toBe(2 * 2 ** 28 * 17 + 8);
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
  });

  it("refuses wrong arguments by name", async () => {
    const session = twoTurns();
    const refused: [Record<string, unknown>, string][] = [
      [{ style: "tree" }, "options.style"],
      [{ layout: "ragged" }, "options.layout"],
      [{ layout: "tree", maxLength: 4 }, "maxLength"],
      [{ discount: 2 }, "discount"],
      [{ discount: "1" }, "options.discount"],
      [{ onMismatch: undefined }, "options.onMismatch"],
      [{ padTokenId: 1.5 }, "options.padTokenId"],
      [{ padSide: "both" }, "options.padSide"],
      [{ padToMultipleOf: 0 }, "options.padToMultipleOf"],
      [{ maxLength: -1 }, "options.maxLength"],
      [{ overflow: null }, "options.overflow"],
    ];
    for (const [wrong, name] of refused) {
      expectCode(
        "ERR_INVALID_ARG",
        () => native.planBatch([session], withAny({ ...planOptions, ...wrong })),
        `${name}:`,
      );
    }
    expectCode("ERR_INVALID_ARG", () => native.planBatch(withAny(session), planOptions), "sessions:");
    expectCode("ERR_INVALID_ARG", () => native.planBatch([session, withAny({})], planOptions), "sessions[1]:");
    expectCode("ERR_INVALID_ARG", () => native.planBatch([session], withAny(undefined)), "options:");
    const plan = planOf({});
    const rejected: [Promise<unknown>, RegExp][] = [
      [plan.pack(withAny(undefined)), /^metadata:/],
      [plan.pack({ rows: withAny(1) }), /^metadata\.rows:/],
      [plan.pack({}, withAny(1)), /^options:/],
      [plan.pack({}, { threads: 0 }), /^options\.threads:/],
      [plan.packJson(withAny("x")), /^parts:/],
      [plan.packJson(["", withAny(0), ""]), /^parts\[1\]:/],
      [plan.packJson(["", ""]), /^parts:/],
    ];
    for (const [promise, message] of rejected) {
      await expect(promise).rejects.toMatchObject({
        code: "ERR_INVALID_ARG",
        message: expect.stringMatching(message) as string,
      });
    }
  });

  it("looks at sessions only after it has read the whole list", () => {
    const session = twoTurns();
    const list = [session, session];
    Object.defineProperty(list, 1, {
      get: () => {
        session.release();
        return session;
      },
    });
    expectCode("ERR_RELEASED", () => native.planBatch(list, planOptions));
    expect(native.planBatch([], planOptions).rows.length).toBe(0);
  });

  it("cannot be made by hand", async () => {
    const Plan = planOf({}).constructor as new () => NativePlan;
    await expect(new Plan().pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    const Prompt = twoTurns().prompt([]).constructor as new () => { tokens(): Int32Array };
    expectCode("ERR_INVALID_ARG", () => new Prompt().tokens());
  });
});
