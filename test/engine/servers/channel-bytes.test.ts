import { afterAll, expect, test } from "vitest";
import type { SamplingParams } from "../../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../../src/engine/index.js";

/** The memory that the channels of a call may take, from which it is admitted. */

const URL = "http://127.0.0.1:1";
const EXPERTS = { layers: 48, topK: 8, experts: 128 };
const common = { urls: [URL], timeoutSeconds: 0, maxInflight: 1 };
const none = createSglangEngine(common);
const all = createVllmEngine({
  ...common,
  routedExperts: EXPERTS,
  maxKeptTokens: 512,
  tokenIdsLogprob: [1, 2, 3],
});
const wide = createSglangEngine({ ...common, routedExperts: { ...EXPERTS, experts: 300 } });

afterAll(async () => {
  for (const engine of [none, all, wide]) await engine.close();
});

const sampling = (fields: Partial<SamplingParams>) =>
  ({ temperature: 1, topK: 0, topP: 1, minP: 0, ...fields }) as SamplingParams;

test("an engine without channels reserves nothing", () => {
  expect(none.sequenceChannelBytes?.()).toBe(0);
  expect(none.outputChannelBytes?.(sampling({ topK: 5 }))).toBe(0);
});

test("each token of a sequence has its experts", () => {
  expect(all.sequenceChannelBytes?.()).toBe(48 * 8);
  expect(wide.sequenceChannelBytes?.()).toBe(48 * 8 * 2);
  expect(all.sequenceChannelBytes?.(["routed_experts"])).toBe(0);
});

test.each([
  { fields: {}, ids: 0 },
  { fields: { topK: 20 }, ids: 21 },
  { fields: { topK: 2000 }, ids: 513 },
  { fields: { topP: 0.9 }, ids: 513 },
  { fields: { minP: 0.1, topK: 9 }, ids: 10 },
  { fields: { temperature: 0, topK: 20 }, ids: 0 },
])("a sampled token has a mask and the fixed tokens: $fields", ({ fields, ids }) => {
  expect(all.outputChannelBytes?.(sampling(fields))).toBe(4 * ids + 12);
  expect(all.outputChannelBytes?.(sampling(fields), ["kept_ids"])).toBe(12);
  expect(all.outputChannelBytes?.(sampling(fields), ["kept_ids", "token_ids_logprobs"])).toBe(0);
});
