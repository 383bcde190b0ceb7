import { describe, expect, it } from "vitest";
import { completionSchema, parseCompletion } from "../../src/protocols/completions/request.js";
import { completionResponseSchema, toCompletion } from "../../src/protocols/completions/response.js";
import { generateSchema, parseGenerate } from "../../src/protocols/generate/request.js";
import { generateResponseSchema, toGenerateResponse } from "../../src/protocols/generate/response.js";
import type { GenerationAnswer } from "../../src/protocols/generation-answer.js";
import { DEFAULT_REQUEST } from "../../src/protocols/request-sampling.js";
import { TokenJson } from "../../src/protocols/token-json.js";
import { stringify } from "./support/to-text.js";

/** The endpoints whose prompt is a list of token ids: OpenAI's completions and vLLM's generate. */

const complete = (body: object, maxChoices?: number) =>
  parseCompletion(completionSchema.parse({ prompt: [1, 2], ...body }), maxChoices === undefined ? {} : { maxChoices });
const generate = (body: object, maxChoices?: number) =>
  parseGenerate(generateSchema.parse({ token_ids: [1, 2], ...body }), maxChoices === undefined ? {} : { maxChoices });

describe.each([
  ["completions", (ids: unknown) => completionSchema.safeParse({ prompt: ids })],
  ["generate", (ids: unknown) => generateSchema.safeParse({ token_ids: ids })],
])("a prompt of %s", (_, parse) => {
  it("has ids from 0 to the largest of 32 bits", () => {
    const { data } = parse([0, 0x7fffffff]);
    expect(data && ("prompt" in data ? data.prompt : data.token_ids)).toEqual(Int32Array.of(0, 0x7fffffff));
  });

  it.each([
    [[], "must have at least one token id"],
    [[7, -1], "must contain only integers from 0 to 2147483647; item 1 is not one"],
    [[0x80000000], "item 0 is not one"],
    [[1.5], "item 0 is not one"],
    [["1"], "item 0 is not one"],
  ])("is refused if it is %j", (ids, problem) => {
    expect(parse(ids).error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining(problem)]);
  });

  it("is refused as a text", () => {
    expect(parse("hello").success).toBe(false);
  });
});

describe("completions", () => {
  it("have OpenAI's defaults", () => {
    expect(complete({})).toEqual({
      model: undefined,
      conversation: { messages: [] },
      promptIds: Int32Array.of(1, 2),
      sampling: { ...DEFAULT_REQUEST, maxTokens: 16 },
      calls: { mustCall: undefined, single: undefined, strict: new Set() },
      logprobs: "none",
      tokenIds: undefined,
      routedExperts: undefined,
      tokensAsIds: undefined,
      choices: undefined,
      stream: false,
      droppedTools: [],
      ignoredFields: [],
    });
  });

  it("read all of their fields", () => {
    const fields = { model: "m", max_tokens: 3, stop: "a", top_k: 4, n: 2, logprobs: 0, rid: "x" };
    const flags = { return_token_ids: true, return_routed_experts: true, return_tokens_as_token_ids: true };
    expect(complete({ ...fields, ...flags }, 2)).toMatchObject({
      model: "m",
      sampling: { maxTokens: 3, stop: ["a"], topK: 4 },
      choices: 2,
      logprobs: "all",
      tokenIds: "complete",
      routedExperts: true,
      tokensAsIds: true,
      ignoredFields: ["rid"],
    });
    expect(complete({ return_token_ids: false }).tokenIds).toBeUndefined();
  });

  it("take one prompt in a list, and no more", () => {
    expect(complete({ prompt: [[3, 4]] }).promptIds).toEqual(Int32Array.of(3, 4));
    expect(completionSchema.safeParse({ prompt: [[3], [4]] }).success).toBe(false);
  });

  it.each([{ best_of: 1 }, { echo: false }, { stream: false }, { suffix: "" }, { user: "u" }])("accept %j", (field) => {
    expect(complete(field)).toEqual(complete({}));
  });

  it.each([{ best_of: 2 }, { echo: true }, { stream: true }, { suffix: "a" }, { stream_options: {} }, { logprobs: 1 }])(
    "refuse %j",
    (field) => {
      const { error } = completionSchema.safeParse({ prompt: [1], ...field });
      expect(error?.issues[0]?.path).toEqual(Object.keys(field));
    },
  );
});

describe("generate", () => {
  it("has no limit of tokens, and always returns their ids", () => {
    expect(generate({})).toMatchObject({
      conversation: { messages: [] },
      promptIds: Int32Array.of(1, 2),
      sampling: { ...DEFAULT_REQUEST },
      logprobs: "none",
      tokenIds: "complete",
      tokensAsIds: true,
      choices: undefined,
      stream: false,
      droppedTools: [],
      ignoredFields: [],
    });
    expect(generate({}).sampling.maxTokens).toBeUndefined();
  });

  it("reads its sampling parameters, where null counts as absent", () => {
    const params = { max_tokens: 3, temperature: null, n: 2, logprobs: 1, stop: ["a"] };
    expect(generate({ model: "m", sampling_params: params, return_routed_experts: true, rid: "x" }, 2)).toMatchObject({
      model: "m",
      sampling: { maxTokens: 3, temperature: 1, stop: ["a"] },
      choices: 2,
      logprobs: "all",
      routedExperts: true,
      ignoredFields: ["rid"],
    });
    for (const sampling_params of [[], "a", 1]) {
      expect(generateSchema.safeParse({ token_ids: [1], sampling_params }).success).toBe(false);
    }
  });

  it("accepts features and transfer parameters that ask for nothing, and no others", () => {
    const parse = (body: object) => generateSchema.safeParse({ token_ids: [1], ...body });
    const unasked = { features: {}, kv_transfer_params: {}, stream: false, return_token_ids: false };
    expect(parse(unasked).success).toBe(true);
    const asked = {
      features: { a: 1 },
      kv_transfer_params: { a: 1 },
      stream: true,
      content_parts: [],
      stream_options: {},
    };
    for (const [name, value] of Object.entries(asked)) {
      expect(parse({ [name]: value }).error?.issues).toMatchObject([{ path: [name] }]);
    }
    expect(parse({ sampling_params: { prompt_logprobs: 1 } }).success).toBe(false);
  });
});

it.each([
  ["n", (n: number) => complete({ n })],
  ["sampling_params.n", (n: number) => generate({ sampling_params: { n } })],
])("one answer is allowed by default: %s", (param, ask) => {
  expect(ask(1).choices).toBe(1);
  expect(() => ask(2)).toThrow(`${param} must be between 1 and 1; received 2.`);
});

describe("the answer of", () => {
  const tokens = {
    ids: Int32Array.of(5, 6),
    logprobs: Float32Array.of(-0.5, -1),
    top: undefined,
    tokenJson: new TokenJson({ tokenText: (id) => `t${id}`, tokenBytes: (id) => Uint8Array.of(id) }),
  };
  const answer: GenerationAnswer = {
    interactionId: "resp_0a",
    model: "tiny",
    createdAt: 1_700_000_000_900,
    promptTokens: 2,
    message: { role: "assistant", content: "t5" },
    parts: [{ type: "text", text: "t5" }],
    finishReason: "stop",
    stopString: undefined,
    completionTokens: 2,
    reasoningTokens: 1,
    cachedTokens: 1,
    tokens: undefined,
  };
  const sampled = {
    ids: tokens.ids,
    logprobs: tokens.logprobs,
    versions: Int32Array.of(3, 4),
  } as NonNullable<GenerationAnswer["sampled"]>;
  const full: GenerationAnswer = { ...answer, promptIds: Int32Array.of(1, 2), tokens, sampled, experts: null };
  const cut: GenerationAnswer = { ...answer, interactionId: "resp_0b", finishReason: "length" };
  const usage = {
    prompt_tokens: 2,
    completion_tokens: 4,
    total_tokens: 6,
    prompt_tokens_details: { cached_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 2 },
  };
  const weight_versions = [
    { version: 3, start: 0, end: 1 },
    { version: 4, start: 1, end: 2 },
  ];

  it("completions has the text of each choice, and what the request asked for", () => {
    const sent = JSON.parse(stringify(toCompletion(full, [cut]))) as object;
    expect(sent).toEqual({
      id: "resp_0a",
      object: "text_completion",
      created: 1_700_000_000,
      model: "tiny",
      choices: [
        {
          index: 0,
          interaction_id: "resp_0a",
          text: "t5",
          finish_reason: "stop",
          logprobs: { tokens: ["t5", "t6"], token_logprobs: [-0.5, -1], top_logprobs: null, text_offset: null },
          prompt_token_ids: [1, 2],
          token_ids: [5, 6],
          routed_experts: null,
          weight_versions,
        },
        {
          index: 1,
          interaction_id: "resp_0b",
          text: "t5",
          finish_reason: "length",
          logprobs: null,
          prompt_token_ids: [1, 2],
        },
      ],
      usage,
    });
    expect(completionResponseSchema.parse(sent)).toEqual(sent);
  });

  it("generate has the ids of each choice", () => {
    const sent = JSON.parse(stringify(toGenerateResponse(full, [cut]))) as object;
    expect(sent).toEqual({
      request_id: "resp_0a",
      choices: [
        {
          index: 0,
          interaction_id: "resp_0a",
          token_ids: [5, 6],
          finish_reason: "stop",
          logprobs: {
            content: [
              { token: "t5", logprob: -0.5, bytes: [5], top_logprobs: [] },
              { token: "t6", logprob: -1, bytes: [6], top_logprobs: [] },
            ],
          },
          routed_experts: null,
          weight_versions,
        },
        {
          index: 1,
          interaction_id: "resp_0b",
          token_ids: [],
          finish_reason: "length",
          logprobs: null,
          routed_experts: null,
        },
      ],
      usage,
    });
    expect(generateResponseSchema.parse(sent)).toEqual(sent);
  });
});
