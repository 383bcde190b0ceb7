import type { Fixture } from "./fixtures.js";

const START = "<|start|>assistant";
/** Outputs of gpt-oss and their results. */
export const HARMONY: Record<string, Fixture> = {
  "reasoning, then the answer": {
    output: `<|channel|>analysis<|message|>Hm.\n<|end|>${START}<|channel|>final<|message|>Hi!<|return|>`,
    thought: ["<|channel|>analysis<|message|>Hm.\n<|end|>"],
    promptEnd: START,
    reasoning: "Hm.",
    content: "Hi!",
  },
  "a preamble and a call": {
    output:
      `<|channel|>analysis<|message|>Hm.<|end|>${START}<|channel|>commentary<|message|>I look.<|end|>` +
      `${START} to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>{"city":"Rome"}<|call|>`,
    promptEnd: START,
    reasoning: "Hm.",
    thought: ["<|channel|>analysis<|message|>Hm.<|end|>"],
    content: "I look.",
    calls: [["get_weather", '{"city":"Rome"}']],
  },
  "a recipient after the channel": {
    output: "<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{}<|call|>",
    promptEnd: START,
    calls: [["ping", "{}"]],
  },
  "two analyses and two calls": {
    output:
      `<|channel|>analysis<|message|>A.<|end|>${START}<|channel|>analysis<|message|>B.<|end|>` +
      `${START}<|channel|>commentary to=functions.ping<|message|>{}<|call|>` +
      `${START}<|channel|>commentary to=functions.ping<|message|>{"a": 1}<|call|>`,
    promptEnd: START,
    reasoning: "A.\nB.",
    thought: ["<|channel|>analysis<|message|>A.<|end|>", `${START}<|channel|>analysis<|message|>B.<|end|>`],
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 1}'],
    ],
  },
  "a channel that the prompt has opened": {
    output: "Hi!<|return|>",
    promptEnd: `${START}<|channel|>final<|message|>`,
    content: "Hi!",
  },
  "arguments that are not JSON": {
    output: "<|channel|>commentary to=functions.ping<|message|>ping()<|call|>",
    promptEnd: START,
    content: "<|channel|>commentary to=functions.ping<|message|>ping()",
    toolCalls: "malformed",
  },
  "reasoning that the token limit cuts off": {
    output: "<|channel|>analysis<|message|>Hm",
    promptEnd: START,
    end: "length",
    reasoning: "Hm",
    thought: ["<|channel|>analysis<|message|>Hm"],
  },
  "a header that the token limit cuts off": { output: "<|channel|>ana", promptEnd: START, end: "length" },
  "text without a channel": { output: "Hello, all <|x|>.", promptEnd: START, content: "Hello, all <|x|>." },
};
