import { describe, expect, it } from "vitest";
import { chatCompletionSchema } from "../../src/protocols/chat-completions/request.js";
import { DEFAULT_REQUEST as PLAIN } from "../../src/protocols/request-sampling.js";
import { chat, claude, messages, responses } from "./support/short-requests.js";

/** What requests of each protocol say about sampling. */

const SHARED = {
  temperature: 0.5,
  top_p: 0.9,
  min_p: 0.1,
  repetition_penalty: 1.1,
  min_tokens: 2,
  ignore_eos: true,
  logit_bias: { 9: 1, 5: -2, 7: 0 },
  stop_token_ids: [7, 8],
  seed: 3,
};
const SAMPLING = {
  ...PLAIN,
  temperature: 0.5,
  topP: 0.9,
  minP: 0.1,
  repetitionPenalty: 1.1,
  minTokens: 2,
  ignoreEos: true,
  // A bias of 0 changes nothing.
  logitBias: [
    [5, -2],
    [9, 1],
  ],
  stopTokenIds: [7, 8],
  seed: 3,
};
const SCHEMA = { type: "object" };
const structure = (param: string) => ({ param, jsonSchema: '{"type":"object"}' });

describe("a request that says nothing of sampling", () => {
  it("samples from the whole distribution", () => {
    expect(chat({}).sampling).toEqual(PLAIN);
    expect(responses({}).sampling).toEqual(PLAIN);
    expect(claude({}).sampling).toEqual({ ...PLAIN, maxTokens: 9 });
  });
});

describe("every parameter reaches the engine from", () => {
  it("chat completions", () => {
    const given = {
      ...SHARED,
      top_k: 40,
      frequency_penalty: 0.25,
      presence_penalty: -0.25,
      max_tokens: 5,
      stop: ["a", "b"],
      logprobs: true,
      top_logprobs: 2,
      response_format: { type: "json_object" },
    };
    expect(chat(given).sampling).toEqual({
      ...SAMPLING,
      topK: 40,
      frequencyPenalty: 0.25,
      presencePenalty: -0.25,
      maxTokens: 5,
      stop: ["a", "b"],
      topLogprobs: 2,
      structure: structure("response_format"),
    });
    expect(chat(given).logprobs).toBe("all");
  });

  it("responses", () => {
    const given = {
      ...SHARED,
      max_output_tokens: 5,
      include: ["message.output_text.logprobs"],
      top_logprobs: 2,
      text: { format: { type: "json_schema", schema: SCHEMA } },
    };
    expect(responses(given).sampling).toEqual({
      ...SAMPLING,
      maxTokens: 5,
      topLogprobs: 2,
      structure: structure("text.format"),
    });
    expect(responses(given).logprobs).toBe("text");
  });

  it("messages", () => {
    const format = { type: "json_schema", schema: SCHEMA };
    const given = { ...SHARED, top_k: 40, stop_sequences: ["a"], output_config: { format } };
    expect(claude(given).sampling).toEqual({
      ...SAMPLING,
      topK: 40,
      maxTokens: 9,
      stop: ["a"],
      structure: structure("output_config.format"),
    });
  });
});

describe("chat completions", () => {
  it("take max_completion_tokens before the older max_tokens", () => {
    expect(chat({ max_tokens: 5, max_completion_tokens: 6 }).sampling.maxTokens).toBe(6);
  });

  it("take one stop string as a list of one, and top_k -1 as off", () => {
    expect(chat({ stop: "a", top_k: -1 }).sampling).toMatchObject({ stop: ["a"], topK: 0 });
  });
});

describe("responses", () => {
  it("ask for no alternatives without the include that shows them", () => {
    expect(responses({ top_logprobs: 2 })).toMatchObject({ logprobs: "none", sampling: { topLogprobs: 0 } });
  });
});

describe("messages", () => {
  it("take the older output_format, and output_config before it", () => {
    const older = { type: "json_schema", schema: { type: "array" } };
    expect(claude({ output_format: older }).sampling.structure?.jsonSchema).toBe('{"type":"array"}');
    const both = { output_format: older, output_config: { format: { type: "json_schema", schema: SCHEMA } } };
    expect(claude(both).sampling.structure?.jsonSchema).toBe('{"type":"object"}');
  });
});

describe("template variables", () => {
  const kwargs = (chat_template_kwargs: object) => chatCompletionSchema.safeParse({ messages, chat_template_kwargs });

  it("are left out if they are null, and take at most 65536 characters as JSON", () => {
    expect(kwargs({ a: 1, b: null }).data?.chat_template_kwargs).toEqual({ a: 1 });
    const rest = '{"a":""}'.length;
    expect(kwargs({ a: "x".repeat(65_536 - rest) }).success).toBe(true);
    expect(kwargs({ a: "x".repeat(65_537 - rest) }).error?.issues).toMatchObject([
      { path: ["chat_template_kwargs"], message: "must have at most 65536 characters as JSON" },
    ]);
  });
});

describe("the biases of a request", () => {
  const parse = (logit_bias: object) => chatCompletionSchema.safeParse({ messages, logit_bias });
  const biases = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, id) => [id, 1]));

  it("are for at most 1024 tokens", () => {
    expect(parse(biases(1024)).data?.logit_bias).toHaveLength(1024);
    expect(parse(biases(1025)).error?.issues).toMatchObject([
      { path: ["logit_bias"], message: "must have at most 1024 tokens; received 1025" },
    ]);
  });

  it.each(["-1", "01", "1.5", "a", "12345678901"])("are not for a token %s", (id) => {
    expect(parse({ 3: 1, [id]: 1 }).error?.issues).toMatchObject([
      { message: `keys must be token ids; received "${id}"` },
    ]);
  });
});

describe("a seed", () => {
  const read = (seed: unknown) => chatCompletionSchema.safeParse({ messages, seed });

  it("keeps the bits above the lowest 11 if it has more than 53", () => {
    expect(read(Number.MAX_SAFE_INTEGER).data?.seed).toBe(Number.MAX_SAFE_INTEGER);
    expect(read(2 ** 63).data?.seed).toBe(2 ** 52);
    expect(read(-(2 ** 63)).data?.seed).toBe(-(2 ** 52));
    expect(read(1.5).success).toBe(false);
  });
});

it("refuses template variables that the proxy sets itself", () => {
  const parsed = chatCompletionSchema.safeParse({ messages, chat_template_kwargs: { a: 1, messages: [] } });
  expect(parsed.error?.issues).toMatchObject([
    { path: ["chat_template_kwargs", "messages"], message: expect.stringContaining("is reserved") },
  ]);
});

it("reads top_logprobs only with logprobs", () => {
  expect(chat({ top_logprobs: 0 }).logprobs).toBe("none");
  expect(() => chat({ top_logprobs: 1 })).toThrow("top_logprobs requires logprobs: true");
});
