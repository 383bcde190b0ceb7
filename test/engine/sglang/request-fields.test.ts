import { describe, expect, it } from "vitest";
import { requestSuffix, type SglangRequestFields } from "../../../src/engine/sglang/request-fields.js";
import { PLAIN } from "../generate-call.js";

const fields = (changes: Partial<SglangRequestFields> = {}): Record<string, unknown> => {
  const request = { sampling: PLAIN, tokens: 0, asked: {}, rid: "r", stream: false, ...changes };
  return Object(JSON.parse(`{"input_ids":[]${requestSuffix(request)}`));
};
const sampled = (changes: Partial<SglangRequestFields>): Record<string, unknown> =>
  Object(fields(changes)["sampling_params"]);

describe("a request to SGLang", () => {
  it("asks for flat arrays of alternatives where the server takes that", () => {
    const alternatives = { ...PLAIN, topLogprobs: 2 };
    const flat = [
      { sampling: alternatives },
      { sampling: PLAIN },
      { sampling: alternatives, stream: true },
      { sampling: alternatives, asked: { masks: { maxIds: 5, vocabularySize: 9 } } },
    ].map((changes) => {
      const { return_flat_raw_output_top_logprobs: raw, return_flat_raw_top_logprobs_b64: encoded } = fields(changes);
      return [raw, encoded];
    });
    const none = [undefined, undefined];
    expect(flat).toEqual([[true, true], none, none, none]);
  });

  it("asks for the values that are recorded", () => {
    const asked = {
      experts: { layers: 1, topK: 2, experts: 4, promptLength: 9, start: 5 },
      masks: { maxIds: 5, vocabularySize: 9 },
      tokenIds: Int32Array.of(4, 5),
    };
    expect(fields({ asked })).toMatchObject({
      token_ids_logprob: [4, 5],
      return_routed_experts: true,
      routed_experts_start_len: 5,
      return_sampling_mask: true,
    });
    for (const name of [
      "token_ids_logprob",
      "return_routed_experts",
      "routed_experts_start_len",
      "return_sampling_mask",
    ])
      expect(fields()).not.toHaveProperty(name);
  });

  it("names its adapter", () => {
    expect([fields({ adapter: "a" })["lora_path"], fields()["lora_path"]]).toEqual(["a", undefined]);
  });

  it("has a thinking budget, and counts its tokens", () => {
    expect(fields({ thinkingBudget: 0 })["require_reasoning"]).toBe(true);
    expect(sampled({ thinkingBudget: 0 })["custom_params"]).toEqual({ thinking_budget: 0 });
    expect(fields()["require_reasoning"]).toBeUndefined();
    expect(sampled({})["custom_params"]).toBeUndefined();
  });

  it("has the rest of the tokens of a generation that was cut", () => {
    const sampling = { ...PLAIN, maxTokens: 9, minTokens: 4 };
    const left = [0, 3, 6].map((tokens) => {
      const { max_new_tokens: most, min_new_tokens: least } = sampled({ sampling, tokens });
      return [most, least];
    });
    expect(left).toEqual([
      [9, 4],
      [6, 1],
      [3, 0],
    ]);
  });

  it.each([
    [{ kind: "json_schema", schema: "{}" } as const, { json_schema: "{}" }],
    [{ kind: "regex", pattern: "a" } as const, { regex: "a" }],
    [{ kind: "ebnf", rules: "root" } as const, { ebnf: "root" }],
    [{ kind: "structural_tag", tag: "{}" } as const, { structural_tag: "{}" }],
  ])("contains the grammar of its output: %o", (grammar, expected) => {
    expect(sampled({ sampling: { ...PLAIN, grammar } })).toMatchObject(expected);
    expect(sampled({})).not.toHaveProperty(Object.keys(expected)[0] ?? "");
  });

  it("bans tokens, beside its biases", () => {
    const biases = [
      { bannedTokenIds: [4, 5] },
      { bannedTokenIds: [4], logitBias: [[7, 1.5]] as const },
      { bannedTokenIds: [] },
    ].map((changes) => sampled({ sampling: { ...PLAIN, ...changes } })["logit_bias"]);
    expect(biases).toEqual([{ "4": -100, "5": -100 }, { "4": -100, "7": 1.5 }, undefined]);
  });
});
