/** A request of the tests, by the name of what it shows. */
export interface Setting {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** One of the settings that `--quick` runs. */
  readonly quick?: boolean;
}

const TOOL = {
  type: "function",
  function: {
    name: "look_up",
    parameters: {
      type: "object",
      properties: { page: { type: "integer" }, exact: { type: "boolean" } },
      required: ["page", "exact"],
      additionalProperties: false,
    },
  },
};

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };

/** 32 ways to sample. Bias ids and stop ids are those of the tiny model; any vocabulary has them. */
export const SETTINGS: readonly Setting[] = [
  { name: "temperature 1", body: { temperature: 1 }, quick: true },
  { name: "temperature 2", body: { temperature: 2 } },
  { name: "temperature 1.7", body: { temperature: 1.7 } },
  { name: "temperature 0.3", body: { temperature: 0.3 }, quick: true },
  { name: "temperature 0", body: { temperature: 0 }, quick: true },
  { name: "temperature 0.02", body: { temperature: 0.02 } },
  { name: "top_k 5", body: { temperature: 0.8, top_k: 5 }, quick: true },
  { name: "top_k 1 with a temperature", body: { temperature: 2, top_k: 1 } },
  { name: "top_p 0.7", body: { temperature: 1, top_p: 0.7 }, quick: true },
  { name: "min_p 0.1", body: { temperature: 1, min_p: 0.1 } },
  { name: "top_k and top_p", body: { temperature: 0.9, top_k: 40, top_p: 0.8 } },
  { name: "top_k, top_p and min_p", body: { temperature: 1.3, top_k: 30, top_p: 0.9, min_p: 0.02 } },
  { name: "frequency penalty", body: { temperature: 1, frequency_penalty: 1.5 } },
  { name: "presence penalty", body: { temperature: 1, presence_penalty: 1.2 } },
  { name: "repetition penalty", body: { temperature: 1, repetition_penalty: 1.4 } },
  {
    name: "all penalties",
    body: { temperature: 0.7, frequency_penalty: 0.6, presence_penalty: -0.5, repetition_penalty: 1.2 },
    quick: true,
  },
  { name: "penalties at temperature 0", body: { temperature: 0, frequency_penalty: 1, repetition_penalty: 1.3 } },
  { name: "logit_bias", body: { temperature: 1, logit_bias: { 65: 6, 66: -8, 70: 4.5 } }, quick: true },
  { name: "logit_bias at temperature 0.5", body: { temperature: 0.5, logit_bias: { 80: 9 } } },
  { name: "seed", body: { temperature: 1, seed: 42 } },
  { name: "another seed and top_p", body: { temperature: 1.1, top_p: 0.9, seed: 7 } },
  { name: "n 3", body: { temperature: 1, n: 3 } },
  { name: "stop strings", body: { temperature: 1, stop: ["e", "the"] } },
  { name: "stop token ids", body: { temperature: 1, stop_token_ids: [68, 72, 101, 300, 301, 302, 303] } },
  { name: "ignore_eos", body: { temperature: 1, ignore_eos: true, max_tokens: 64 } },
  { name: "min_tokens", body: { temperature: 1, min_tokens: 20 } },
  { name: "top_logprobs 5", body: { temperature: 1, logprobs: true, top_logprobs: 5 } },
  { name: "top_logprobs 20", body: { temperature: 0.6, logprobs: true, top_logprobs: 20 } },
  {
    name: "a JSON schema",
    body: { temperature: 1, response_format: { type: "json_schema", json_schema: { name: "n", schema: SCHEMA } } },
    quick: true,
  },
  { name: "any JSON object", body: { temperature: 0.5, response_format: { type: "json_object" }, max_tokens: 48 } },
  { name: "a required tool", body: { temperature: 1, tools: [TOOL], tool_choice: "required", max_tokens: 64 } },
  { name: "one token", body: { temperature: 1, max_tokens: 1 } },
];

/** Prompts of different lengths. The last one is longer than a block of an engine's prefix cache. */
export const PROMPTS = ["Hi", "Tell me about the sea.", "Say something. ".repeat(20)] as const;

export function toRequest({ body }: Setting, prompt: string, stream: boolean): Record<string, unknown> {
  return { messages: [{ role: "user", content: prompt }], max_tokens: 24, stream, ...body };
}
