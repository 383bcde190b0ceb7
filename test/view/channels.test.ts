import { describe, expect, it } from "vitest";
import type { TokenEntries } from "../../src/batch-file/token-texts.js";
import type { TokenItems } from "../../src/view/api.js";
import { BatchSource } from "../../src/view/sources/batch-source.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { type InteractionChannels, readChannelItems, readChannels } from "../../src/view/tokens/token-channels.js";
import {
  advantagesOf,
  alternativesOf,
  expertsOf,
  FIXED_IDS,
  fixedOf,
  keptOf,
  recordedChannels,
  teacherOf,
} from "./recorded-channels.js";
import { ownTokens, recordRun } from "./recorded-run.js";

const MOE_LAYERS = { moe_layers: "[1, 2]" };
const RANGE = { episode: 1, interaction: 0, from: 0, count: 100 };

const valuesOf = (items: TokenItems) => Object.fromEntries(items.map(({ name, values }) => [name, values]));
const toJson = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(7)) : String(value));

describe.each([
  ["padded", { layout: "padded" }],
  ["padded on the left", { layout: "padded", padSide: "left", padToMultipleOf: 32 }],
  ["packed", { layout: "packed" }],
  ["tree", { layout: "tree" }],
  ["tree in shards", { layout: "tree", shards: 2 }],
  ["concat packed", { layout: "packed", style: "concat", onMismatch: "split" }],
] as const)("channels of a %s batch", (_, options) => {
  it("give each token what was recorded for it, and null if nothing was", async () => {
    const run = await recordRun({ ...options, channels: recordedChannels, metadata: MOE_LAYERS });
    await using source = await TranscriptSource.open(run.transcript);
    for (const [episode, calls] of [...run.calls.values()].entries()) {
      for (const [interaction, { prompt, output }] of calls.entries()) {
        const own = ownTokens(calls, interaction);
        const start = prompt.length + output.length - own.length;
        for (const [token, id] of own.entries()) {
          const found = valuesOf(await source.items({ episode, interaction, token }));
          const isOutput = token >= own.length - output.length;
          const ofOutput = (values: readonly number[]) => (isOutput ? values.map(toJson) : null);
          // A descendant may have recorded the item of the last token of this interaction's sequence.
          const experts = token < own.length - 1 ? expertsOf(id) : found["routed_experts"];
          expect(found).toMatchObject({
            routed_experts: experts,
            kept_ids: isOutput && keptOf(id).length > 0 ? keptOf(id) : null,
            top_ids: ofOutput(alternativesOf(id).ids),
            top_logprobs: ofOutput(alternativesOf(id).logprobs),
            token_ids_logprobs: ofOutput(fixedOf(id)),
            advantages: ofOutput(advantagesOf(id)),
            teacher_big_logprobs: start + token === 0 ? null : [toJson(teacherOf(id))],
          });
        }
      }
    }
  });

  it("have one number per token in a slice, if an item is one number or the channel is ragged", async () => {
    const run = await recordRun({ ...options, channels: recordedChannels });
    await using source = await TranscriptSource.open(run.transcript);
    const own = ownTokens(run.calls.get("s-1") ?? [], 1);
    const { channels, output_start } = await source.tokens({ ...RANGE, interaction: 1, from: 1 });
    const columns = Object.fromEntries(channels.map(({ name, column }) => [name, column]));
    const ids = own.slice(1);
    expect(columns).toEqual({
      advantages: undefined,
      kept_ids: ids.map((id, at) => (at + 1 >= output_start && keptOf(id).length > 0 ? keptOf(id).length : null)),
      routed_experts: undefined,
      teacher_big_logprobs: ids.map((id) => toJson(teacherOf(id))),
      token_ids_logprobs: undefined,
      top_ids: undefined,
      top_logprobs: undefined,
    });
  });
});

describe("the channels of a slice", () => {
  it("say how to read their values", async () => {
    const run = await recordRun({ layout: "tree", channels: recordedChannels, metadata: MOE_LAYERS });
    await using source = await BatchSource.open(`${run.folder}/batch.safetensors`);
    const { channels } = await source.tokens(RANGE);
    const byName = Object.fromEntries(channels.map((channel) => [channel.name, channel]));
    expect(byName["routed_experts"]).toMatchObject({ values: "experts", dtype: "U8", shape: [3, 2], layers: [1, 2] });
    expect(byName["kept_ids"]).toMatchObject({ values: "token_ids", ragged: true, of: "output" });
    expect(byName["top_logprobs"]).toMatchObject({ values: "logprobs", ids: "top_ids", shape: [2] });
    expect(byName["top_ids"]).toMatchObject({ values: "token_ids" });
    expect(byName["token_ids_logprobs"]?.tokens).toEqual(FIXED_IDS.map((id) => ({ id, text: null })));
    expect(byName["teacher_big_logprobs"]).toMatchObject({ title: "Teacher big", shape: [], of: "sequence" });
    expect(byName["advantages"]).toMatchObject({ values: "numbers", title: "advantages", shape: [2, 2] });
    expect(byName["advantages"]).not.toHaveProperty("layers");
  });

  it("are none in a batch without channels", async () => {
    const run = await recordRun();
    await using source = await TranscriptSource.open(run.transcript);
    expect((await source.tokens(RANGE)).channels).toEqual([]);
    expect(await source.items({ ...RANGE, token: 0 })).toEqual([]);
  });

  it.each([
    ["tensors that the file does not have", { name: "scores", of: "output", mask: "scores_mask" }],
    ["a mask of another dtype", { name: "input_ids", of: "sequence", mask: "logprobs" }],
    ["a name that no channel has", { name: "input_ids\u202e", of: "sequence", mask: "attention_mask" }],
  ])("are left out if the metadata names %s", async (_, channel) => {
    const run = await recordRun({ metadata: { channels: JSON.stringify([channel]), moe_layers: "{" } });
    await using source = await TranscriptSource.open(run.transcript);
    expect((await source.tokens(RANGE)).channels).toEqual([]);
    expect(await source.items({ ...RANGE, token: 0 })).toEqual([]);
  });

  it("cost a token that nobody looks at a few bytes, although its items have hundreds of values", async () => {
    const experts = Uint8Array.from({ length: 48 * 8 }, (_, at) => at % 128);
    const run = await recordRun({
      layout: "tree",
      channels: ({ prompt, output }) => [
        {
          channel: { name: "routed_experts", dtype: "U8", shape: [48, 8], of: "sequence" },
          first: 0,
          values: Uint8Array.from([...prompt, ...output].slice(1).flatMap(() => [...experts])),
        },
      ],
    });
    await using source = await TranscriptSource.open(run.transcript);
    expect(JSON.stringify(await source.tokens(RANGE)).length).toBeLessThan(1000);
    const [item] = await source.items({ ...RANGE, token: 0 });
    expect(item?.values).toEqual([...experts]);
  });
});

describe("the items of a token", () => {
  it("are refused for a token that the interaction does not have", async () => {
    const run = await recordRun({ channels: recordedChannels });
    await using source = await TranscriptSource.open(run.transcript);
    await expect(source.items({ ...RANGE, token: 6 })).rejects.toThrow("has 6 own tokens; there is no token 6");
    const { total } = await source.tokens({ ...RANGE, interaction: 1 });
    await expect(source.items({ ...RANGE, interaction: 1, token: total })).rejects.toThrow(
      `has ${total} own tokens; there is no token ${total}`,
    );
    await expect(source.items({ ...RANGE, interaction: 9, token: 0 })).rejects.toMatchObject({ code: "not_found" });
  });

  it("are cut after 4,096 values, and say how many there are", async () => {
    const run = await recordRun({
      layout: "packed",
      channels: ({ output }) => [
        {
          channel: { name: "kept_ids", dtype: "I32", shape: [], offsets: "kept_offsets", of: "output" },
          first: 0,
          values: new Uint8Array(4 * 5000 * output.length),
          counts: Uint32Array.from(output, () => 5000),
        },
      ],
    });
    await using source = await TranscriptSource.open(run.transcript);
    const [item] = await source.items({ ...RANGE, token: 5 });
    expect([item?.values?.length, item?.total]).toEqual([4096, 5000]);
    expect((await source.tokens(RANGE)).channels[0]?.column).toEqual([null, null, null, null, 5000, 5000]);
  });
});

it("has the text of each token of a channel on its own, if the tokenizer is known", async () => {
  const channel = { name: "top_ids", dtype: "I32", shape: [4], of: "output", isRagged: false, tokenIds: [3] } as const;
  const channels: InteractionChannels = {
    all: [channel],
    moeLayers: undefined,
    readColumn: async () => undefined,
    readItems: async () => ({ values: [0, 1, 2, -1], total: 4 }),
  };
  const half = { kind: "bytes", bytes: Uint8Array.of(0xc3) } as const;
  const entries: TokenEntries = { entry: (id) => (id === 1 ? half : { kind: "text", text: `t${id}` }) };
  const item = { name: "top_ids", values: [0, 1, 2, -1], total: 4 };
  expect(await readChannelItems(channels, entries, 0)).toEqual([{ ...item, texts: ["t0", "\uFFFD", "t2", null] }]);
  expect(await readChannelItems(channels, undefined, 0)).toEqual([{ ...item, texts: [null, null, null, null] }]);
  expect(await readChannels(channels, entries, 0, 1)).toMatchObject([{ tokens: [{ id: 3, text: "t3" }] }]);
  expect(await readChannels(channels, undefined, 0, 1)).toMatchObject([{ tokens: [{ id: 3, text: null }] }]);
  const none = { ...channels, readItems: async () => null };
  expect(await readChannelItems(none, entries, 0)).toEqual([{ name: "top_ids", values: null, total: 0 }]);
});

it("has no channels of an interaction without a row", async () => {
  expect([await readChannels(undefined, undefined, 0, 1), await readChannelItems(undefined, undefined, 0)]).toEqual([
    [],
    [],
  ]);
});
