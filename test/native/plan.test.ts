import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativePlan, PlanOptions } from "../../src/native/contract.js";
import { expectCode, generation, ids, planOptions, record, rowColumn, tensor, twoTurns, withAny } from "./support.js";

const createPlan = (options: Partial<PlanOptions>, session = twoTurns()): NativePlan =>
  native.planBatch([session], { ...planOptions, ...options });

const GIVEN = {
  name: "given",
  dtype: "I32",
  shape: [2],
  parts: [Uint8Array.of(1, 0, 0), Uint8Array.of(0, 2, 0, 0, 0)],
} as const;

/** Options that each have one invalid field. */
const badColumns: readonly Record<string, unknown>[] = [
  { name: 1 },
  { dtype: "F64" },
  { source: "reward_of_moon" },
  { slot: -1 },
  { slot: undefined },
  { missing: -1 },
  { missing: 2 ** 32 },
  { ofFirstTurn: 0 },
  { ofBroken: undefined },
  { perRow: null },
  { perTurn: "yes" },
  { labels: "stop" },
];

describe("a native plan", () => {
  it("packs given tensors after its own of the same alignment, from their parts", async () => {
    const offsets = {
      name: "offsets",
      dtype: "I64",
      shape: [1],
      parts: [Uint8Array.of(7, 0, 0, 0, 0, 0, 0, 0)],
    } as const;
    const bytes = { name: "bytes", dtype: "U8", shape: [3], parts: [Uint8Array.of(1, 2), Uint8Array.of(3)] } as const;
    const batch = await createPlan({}).pack({}, { tensors: [bytes, GIVEN, offsets] });
    const own = (await createPlan({}).pack({})).tensors.map(({ name }) => name);
    const names = batch.tensors.map(({ name }) => name);
    const narrow = own.indexOf("attention_mask");
    expect(names).toEqual(["offsets", ...own.slice(0, narrow), "given", ...own.slice(narrow), "bytes"]);
    expect(batch.tensors.filter(({ dtype, byteOffset }) => byteOffset % (dtype === "I64" ? 8 : 1) !== 0)).toEqual([]);
    expect([...tensor(batch, "given")]).toEqual([1, 2]);
    const { byteOffset = 0 } = batch.tensors.at(-1) ?? {};
    expect([...batch.bytes.subarray(byteOffset)]).toEqual([1, 2, 3]);
  });

  it.each<[wrong: readonly unknown[] | number, message: RegExp]>([
    [1, /^options\.tensors:/],
    [[1], /^options\.tensors\[0\]:/],
    [[{ ...GIVEN, dtype: "F64" }], /^options\.tensors\[0\]\.dtype:/],
    [[GIVEN, { ...GIVEN, shape: [-1] }], /^options\.tensors\[1\]\.shape:/],
    [[{ ...GIVEN, parts: ["x"] }], /^options\.tensors\[0\]\.parts:/],
    [[{ ...GIVEN, shape: [3] }], /^tensors: given has 8 bytes instead of 12$/],
    [[GIVEN, GIVEN], /^tensors: two tensors would have the name given$/],
    [[{ ...GIVEN, name: "rewards" }], /^tensors: two tensors would have the name rewards$/],
  ])("refuses the given tensors %j", async (wrong, message) => {
    const packed = createPlan({}).pack({}, { tensors: withAny(wrong) });
    await expect(packed).rejects.toMatchObject({
      code: "ERR_INVALID_ARG",
      message: expect.stringMatching(message) as string,
    });
  });

  it("has rows, shape and size", () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const plan = createPlan({ discount: 0.5, padToMultipleOf: 4 }, session);
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

  it("lists children that are not token-exact, and then cannot be packed", async () => {
    const session = twoTurns();
    record(session, session.prompt([ids(1, 9, 3)]), [5], ["u", "a", "w"], ["c"]);
    record(session, session.prompt([ids(1)]), [5], ["u", "a", "x"], ["d"]);
    const plan = createPlan({ style: "concat" }, session);
    expect(plan.mismatches).toEqual([
      { session: 0, parent: 0, child: 2, position: 1, parentToken: 2, childToken: 9 },
      { session: 0, parent: 0, child: 3, position: 1, parentToken: 2, childToken: -1 },
    ]);
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    await expect(plan.packJson(["", "", "", ""])).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    expect(createPlan({ style: "concat", onMismatch: "split" }, session).rows.interactions).toEqual(
      Uint32Array.of(1, 2, 3),
    );
  });

  it("lists rows over the limit, and then cannot be packed", async () => {
    const plan = createPlan({ maxLength: 5 });
    expect(plan.overflows).toMatchObject({ length: 1, interactions: Uint32Array.of(1), lengths: Uint32Array.of(6) });
    await expect(plan.pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    const dropped = createPlan({ maxLength: 5, overflow: "drop" });
    expect(dropped.rows).toHaveLength(1);
    expect(dropped.overflows).toHaveLength(1);
    expect(createPlan({ maxLength: 5, overflow: "truncate" }).rows.lengths).toEqual(Uint32Array.of(3, 5));
  });

  it("packs a padded batch", async () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const batch = await createPlan({ padTokenId: 99, padSide: "left", discount: 0.5 }, session).pack({});
    expect(tensor(batch, "input_ids")).toEqual([99, 99, 99, 1, 2, 3, 1, 2, 3, 4, 5, 6]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1]);
    expect(tensor(batch, "logprobs")).toEqual([0, 0, 0, 0, 0, -0.375, 0, 0, 0, 0, -0.625, -0.75]);
    expect(tensor(batch, "versions")).toEqual([-1, -1, -1, -1, -1, 0, -1, -1, -1, -1, 0, 0]);
    expect(tensor(batch, "attention_mask")).toEqual([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect(tensor(batch, "rewards")).toEqual([0.5, 1]);
  });

  it("packs concat rows with the outputs of every turn", async () => {
    const batch = await createPlan({ style: "concat" }).pack({});
    expect(tensor(batch, "input_ids")).toEqual([1, 2, 3, 4, 5, 6]);
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 1, 0, 1, 1]);
  });

  it("packs rows one after the other", async () => {
    const session = twoTurns();
    session.setReward(1, 1);
    const plan = createPlan({ layout: "packed", discount: 0.5 }, session);
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

  it("packs each token of a tree once, the last branch first", async () => {
    const session = twoTurns();
    record(session, session.prompt([ids(1, 9)]), [7], ["u", "a", "w"], ["c"]);
    session.setReward(1, 1);
    const plan = createPlan({ layout: "tree", style: "concat", discount: 0.5 }, session);
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

  it("adds row columns, and codes for their labels to the metadata", async () => {
    const session = twoTurns();
    const call = { digests: native.digestMessages(["x"]), output: [], labels: ["length"] };
    const prompt = session.prompt([ids(7)], 1);
    session.record({ ...call, prompt, generation: generation([8]), parent: 1, facts: Uint32Array.of(5, 0x40000000) });
    session.setReward(2, 3);
    const columns = [
      rowColumn({ name: "prompt_tokens", source: "promptTokens" }),
      rowColumn({ name: "parent", source: "parentRow" }),
      rowColumn({ name: "turn", source: "turn" }),
      rowColumn({ name: "number", missing: 9 }),
      rowColumn({ name: "real", dtype: "F32", slot: 1 }),
      rowColumn({ name: "reason", source: "label", labels: ["stop"] }),
      rowColumn({ name: "own_reward", dtype: "F32", source: "ownReward" }),
      rowColumn({ name: "has_reward", dtype: "BOOL", source: "hasReward" }),
    ];
    const batch = await createPlan({ columns }, session).pack({ rows: "[]" });
    expect(tensor(batch, "row_prompt_tokens")).toEqual([2, 4, 7]);
    expect(tensor(batch, "row_parent")).toEqual([-1, 0, 1]);
    expect(tensor(batch, "row_turn")).toEqual([0, 1, 2]);
    expect(tensor(batch, "row_number")).toEqual([9, 9, 5]);
    expect(tensor(batch, "row_real")).toEqual([0, 0, 2]);
    expect(tensor(batch, "row_reason")).toEqual([-1, -1, 1]);
    expect(tensor(batch, "row_own_reward")).toEqual([0, 0, 3]);
    expect(tensor(batch, "row_has_reward")).toEqual([0, 0, 1]);
    const header = Buffer.from(batch.bytes).toString(
      "utf8",
      8,
      8 + Number(Buffer.from(batch.bytes).readBigUInt64LE(0)),
    );
    const { __metadata__: metadata } = JSON.parse(header) as { __metadata__: Record<string, string> };
    expect(metadata).toEqual({ rows: "[]", row_codes: '{"reason":["stop","length"]}' });
  });

  it("adds the turns of concat rows", async () => {
    const session = twoTurns();
    session.setReward(0, 1);
    const columns = [
      rowColumn({ name: "start", source: "turnStart", perRow: false, perTurn: true }),
      rowColumn({ name: "end", source: "turnEnd", perRow: false, perTurn: true }),
      rowColumn({ name: "reward", dtype: "F32", source: "reward", perRow: false, perTurn: true }),
    ];
    const options = { style: "concat", turns: true, columns } as const;
    const batch = await createPlan(options, session).pack({});
    expect(tensor(batch, "cu_turns")).toEqual([0, 2]);
    expect(tensor(batch, "turn_start")).toEqual([2, 4]);
    expect(tensor(batch, "turn_end")).toEqual([3, 6]);
    expect(tensor(batch, "turn_reward")).toEqual([1, 0]);
    const cut = await createPlan({ ...options, maxLength: 5, overflow: "truncate" }, session).pack({});
    expect(tensor(cut, "turn_end")).toEqual([3, 5]);
  });

  it("sums a concat row's own rewards from its first turn with concatReward return", () => {
    const session = twoTurns();
    session.setReward(0, 1);
    session.setReward(1, 4);
    const leaf = createPlan({ style: "concat", discount: 0.5 }, session);
    expect([leaf.rows.rewards, leaf.rows.uncountedRewards]).toEqual([Float64Array.of(4), Uint8Array.of(1)]);
    const sum = createPlan({ style: "concat", discount: 0.5, concatReward: "return" }, session);
    expect([sum.rows.rewards, sum.rows.uncountedRewards]).toEqual([Float64Array.of(3), Uint8Array.of(0)]);
  });

  it("gives no row to interactions that are left out, and does not train on them in a tree", async () => {
    const session = twoTurns();
    const without = (options: Partial<PlanOptions>) =>
      native.planBatch([session, session], { ...planOptions, ...options }, [Uint32Array.of(1)]);
    expect(without({ style: "concat" }).rows.interactions).toEqual(Uint32Array.of(0, 1));
    const batch = await without({ layout: "tree" }).pack({});
    expect(tensor(batch, "loss_mask")).toEqual([0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1]);
    expect(tensor(batch, "input_ids")).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
  });

  it("lists conversations without a reward", () => {
    const sessions = [twoTurns(), twoTurns(), twoTurns()];
    sessions[0]?.setReward(1, 0);
    sessions[1]?.setSessionReward(0);
    const plan = native.planBatch(sessions, planOptions);
    expect(plan.unrewardedRoots).toEqual({ count: 1, first: [{ session: 2, interaction: 0 }] });
  });

  it("starts a row at a call recorded with startsRow", () => {
    const session = twoTurns();
    const call = {
      prompt: session.prompt([ids(9)]),
      generation: generation([1]),
      digests: new Uint8Array(16),
      output: [],
    };
    session.record({ ...call, parent: 1, startsRow: true });
    const plan = createPlan({ style: "concat" }, session);
    expect(plan.mismatches).toEqual([]);
    expect(plan.rows.interactions).toEqual(Uint32Array.of(1, 2));
  });

  it("keeps what it needs of columns and labels when sessions are released", async () => {
    const session = twoTurns();
    const call = {
      prompt: session.prompt([ids(9)]),
      generation: generation([1]),
      digests: new Uint8Array(16),
      output: [],
    };
    session.record({ ...call, parent: 1, labels: ["a label that no small string holds, however long it is"] });
    const columns = [rowColumn({ name: "label", source: "label" })];
    const plan = createPlan({ columns }, session);
    columns.length = 0;
    session.release();
    expect(tensor(await plan.pack({}), "row_label")).toEqual([-1, -1, 0]);
  });

  it("writes the same bytes on any number of threads", async () => {
    const session = twoTurns();
    for (const layout of ["padded", "packed", "tree"] as const) {
      const plan = createPlan({ layout }, session);
      const one = await plan.pack({}, { threads: 1 });
      const many = await plan.pack({}, { threads: 8 });
      expect(Buffer.from(one.bytes)).toEqual(Buffer.from(many.bytes));
    }
  });

  it("writes a block that safetensors reads", async () => {
    const metadata = { rows: '[{"é":"\u0001😀\\n"}]', 'k"ey': "", __proto__x: "y" };
    const batch = await createPlan({}).pack(metadata);
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

  it("packs an empty batch", async () => {
    const plan = native.planBatch([], { ...planOptions, padToMultipleOf: 64 });
    expect(plan.shape).toEqual([0, 0]);
    const batch = await plan.pack({});
    expect(tensor(batch, "input_ids")).toEqual([]);
    expect(batch.tensors[0]?.shape).toEqual([0, 0]);
    expect((await plan.packJson(["[]"])).toString()).toBe("[]");
  });

  it("packs JSON whose tensors decode to the padded ones", async () => {
    const plan = createPlan({ style: "concat" });
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
      const dtypes: Readonly<Record<string, string>> = { I32: "torch.int32", F32: "torch.float32", BOOL: "torch.bool" };
      expect(dtype).toBe(dtypes[span?.dtype ?? ""]);
      const start = span?.byteOffset ?? 0;
      expect(Buffer.from(data, "base64")).toEqual(
        Buffer.from(batch.bytes.subarray(start, start + (span?.byteLength ?? 0))),
      );
    }
  });

  it("fails if a batch is too large for one block", async () => {
    const plan = createPlan({ padToMultipleOf: 2 ** 28 });
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
      [{ concatReward: "sum" }, "options.concatReward"],
      [{ concatReward: null }, "options.concatReward"],
      [{ turns: 1 }, "options.turns"],
      [{ turns: true, layout: "tree" }, "turns"],
      [{ labelLimit: -1 }, "options.labelLimit"],
      [{ labelLimit: 1.5 }, "options.labelLimit"],
      [{ columns: {} }, "options.columns"],
      [{ columns: [1] }, "options.columns[0]"],
      ...badColumns.map((column): [Record<string, unknown>, string] => {
        const [name = ""] = Object.keys(column);
        return [
          { columns: [rowColumn({ name: "good" }), { ...rowColumn({}), ...column }] },
          `options.columns[1].${name}`,
        ];
      }),
      [{ columns: [rowColumn({ labels: ["a", withAny(1)] })] }, "options.columns[0].labels[1]"],
      [{ columns: [rowColumn({}), rowColumn({})] }, "columns"],
      [{ columns: [rowColumn({ source: "turnEnd", perRow: true })] }, "columns"],
      [{ columns: [rowColumn({ source: "turnEnd", dtype: "BOOL", perRow: false, perTurn: true })] }, "columns"],
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
    const leftOut: [unknown, string][] = [
      [{}, "leftOut"],
      [[ids(1)], "leftOut[0]"],
      [[null], "leftOut[0]"],
      [[Uint32Array.of(2)], "leftOut"],
      [[Uint32Array.of(0)], "leftOut"],
      [[undefined, undefined], "leftOut"],
    ];
    for (const [wrong, name] of leftOut) {
      expectCode("ERR_INVALID_ARG", () => native.planBatch([session], planOptions, withAny(wrong)), `${name}:`);
    }
    const plan = createPlan({});
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

  it("reads the whole list before it uses a session", () => {
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

  it("cannot be constructed by JavaScript", async () => {
    const Plan = createPlan({}).constructor as new () => NativePlan;
    await expect(new Plan().pack({})).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    const Prompt = twoTurns().prompt([]).constructor as new () => { tokens(): Int32Array };
    expectCode("ERR_INVALID_ARG", () => new Prompt().tokens());
  });
});

describe("a plan that is built session by session", () => {
  const options = { ...planOptions, discount: 0.5 };

  it("packs the same bytes as one of all sessions", async () => {
    const [first, second] = [twoTurns(), twoTurns()];
    first.setReward(1, 2);
    const leftOut = Uint32Array.of(1);
    const builder = new native.PlanBuilder(options, 4);
    builder.add(first);
    builder.add(second, leftOut);
    const built = await builder.finish().pack({ rows: [Buffer.from("[1,"), Buffer.from("2]")] });
    const whole = await native.planBatch([first, second], options, [undefined, leftOut]).pack({ rows: "[1,2]" });
    expect(Buffer.compare(built.bytes, whole.bytes)).toBe(0);
  });

  it("lists the episodes of sessions whose rows are in other batches", () => {
    const other = { hasReward: true, rows: 3, reward: 1.5, discountedReturn: 0.75 };
    const session = twoTurns();
    session.setReward(1, 2);
    const builder = new native.PlanBuilder(options);
    builder.addEpisode(other, 4);
    builder.add(session, undefined, undefined, 4);
    const plan = builder.finish();
    expect([plan.rows.length, [...plan.rows.sessions], [...plan.episodes()]]).toEqual([2, [1, 1], [0, 1]]);
    expect(plan.episode(0)).toEqual(other);
    expect(plan.episode(1)).toEqual({ hasReward: true, rows: 2, reward: 2, discountedReturn: 1 });
    expectCode("ERR_INVALID_ARG", () => plan.episode(2), "session:");
  });

  it("refuses wrong values of an episode", () => {
    const episode = { hasReward: true, rows: 3, reward: 1, discountedReturn: 1 };
    for (const [name, value] of Object.entries({ hasReward: 1, rows: -1, reward: "1", discountedReturn: null })) {
      const builder = new native.PlanBuilder(options);
      expectCode(
        "ERR_INVALID_ARG",
        () => builder.addEpisode(withAny({ ...episode, [name]: value })),
        `episode.${name}:`,
      );
    }
    const finishing = new native.PlanBuilder(options);
    const getter = {
      ...episode,
      get reward() {
        finishing.finish();
        return 1;
      },
    };
    expectCode("ERR_RELEASED", () => finishing.addEpisode(getter));
    expectCode("ERR_INVALID_ARG", () => new native.PlanBuilder(options).addEpisode(episode, -1), "group:");
  });

  it("has each session as it was when it was added", () => {
    const session = twoTurns();
    const builder = new native.PlanBuilder(options);
    builder.add(session);
    session.setReward(1, 2);
    session.release();
    expect([...builder.finish().rows.rewards]).toEqual([0, 0]);
  });

  it("truncates each row to its own limit, which has no effect on shorter rows and above maxLength", () => {
    const rowLengths = (maxLength: number, ...limits: readonly number[]) => {
      const builder = new native.PlanBuilder({ ...options, maxLength, overflow: "truncate" });
      builder.add(twoTurns(), undefined, undefined, undefined, Uint32Array.from(limits));
      return [...builder.finish().rows.lengths];
    };
    expect(rowLengths(4, 4, 4)).toEqual([3, 4]);
    expect(rowLengths(4, 1, 2)).toEqual([3, 2]);
    expect(rowLengths(2, 1, 9)).toEqual([1, 2]);
    expect(rowLengths(2, 0, 0)).toEqual([0, 0]);
    expectCode("ERR_INVALID_ARG", () => rowLengths(4, 1), "limits:");
    expectCode("ERR_INVALID_ARG", () => rowLengths(4, 1, 2, 3), "limits:");
  });

  it("can be finished once, and not after a session that was refused", () => {
    const builder = new native.PlanBuilder(options);
    expect(builder.finish().rows.length).toBe(0);
    expectCode("ERR_RELEASED", () => builder.finish());
    expectCode("ERR_RELEASED", () => builder.add(twoTurns()));
    const refused = new native.PlanBuilder(options);
    expectCode("ERR_INVALID_ARG", () => refused.add(twoTurns(), Uint32Array.of(9)), "leftOut:");
    expectCode("ERR_RELEASED", () => refused.finish());
    expectCode(
      "ERR_INVALID_ARG",
      () => new native.PlanBuilder(withAny({ ...options, discount: "1" })),
      "options.discount:",
    );
  });
});
