import { describe, expect, it } from "vitest";
import { completionsSuffix, generateSuffix, type VllmRequestFields } from "../../../src/engine/vllm/request-fields.js";
import { PLAIN } from "../generate-call.js";

const request = (changes: Partial<VllmRequestFields>): VllmRequestFields => ({
  sampling: PLAIN,
  maxTokens: 5,
  minTokens: 2,
  model: "m",
  requestId: "r",
  stream: false,
  asked: {},
  ...changes,
});
const parse = (suffix: string): Record<string, unknown> => Object(JSON.parse(`{"ids":[]${suffix}`));

/** The sampling parameters of both endpoints. */
function sampled(
  changes: Partial<VllmRequestFields>,
): [generate: Record<string, unknown>, completions: Record<string, unknown>] {
  return [
    Object(parse(generateSuffix(request(changes)))["sampling_params"]),
    parse(completionsSuffix(request(changes))),
  ];
}

const experts = { layers: 1, topK: 2, experts: 4, promptLength: 9, start: 5 };

describe("a request to vLLM", () => {
  it("asks for the experts from the first token that has none", () => {
    for (const fields of sampled({ asked: { experts } })) expect(fields["routed_experts_prompt_start"]).toBe(5);
    for (const fields of sampled({})) expect(fields).not.toHaveProperty("routed_experts_prompt_start");
  });

  it("asks for the log probabilities of fixed tokens in place of the likeliest", () => {
    const [generate, completions] = sampled({ asked: { tokenIds: Int32Array.of(7, 8) } });
    // The last one gets none, so the first one is sent again.
    expect(generate).toMatchObject({ logprobs: 3, logprob_token_ids: [7, 8, 7] });
    expect(completions).toMatchObject({ logprobs: 0, logprob_token_ids: [7, 8] });
    for (const fields of sampled({})) expect(fields).not.toHaveProperty("logprob_token_ids");
  });

  it.each([
    [true, 3, 4],
    [false, 3, 3],
    [true, 0, 0],
  ])("asks for one alternative more if it may (%s) and needs %d: %d", (oneMore, topLogprobs, asked) => {
    const [generate, completions] = sampled({ oneMore, sampling: { ...PLAIN, topLogprobs } });
    expect([generate["logprobs"], completions["logprobs"]]).toEqual([asked, topLogprobs]);
  });

  it("has a thinking budget and a seed only if the call has", () => {
    for (const fields of sampled({ thinkingBudget: 0, sampling: { ...PLAIN, seed: 0 } }))
      expect(fields).toMatchObject({ thinking_token_budget: 0, seed: 0 });
    for (const fields of sampled({})) {
      expect(fields).not.toHaveProperty("thinking_token_budget");
      expect(fields).not.toHaveProperty("seed");
      expect(fields).not.toHaveProperty("structured_outputs");
    }
  });

  it("asks for usage in streams", () => {
    const usage = [true, false].map((stream) => parse(generateSuffix(request({ stream })))["stream_options"]);
    expect(usage).toEqual([{ include_usage: true }, undefined]);
  });

  it("has the rest of the tokens", () => {
    for (const fields of sampled({})) expect(fields).toMatchObject({ max_tokens: 5, min_tokens: 2 });
  });
});
