import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { HARMONY } from "../support/harmony-outputs.js";

const PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';

const THINK: Record<string, Fixture> = {
  "reasoning, then text": {
    output: "<think>\nHm.\n\nSo.\n</think>\n\nHi!",
    reasoning: "Hm.\n\nSo.",
    thought: ["<think>\nHm.\n\nSo.\n</think>"],
    content: "Hi!",
  },
  "reasoning that the prompt has begun": {
    output: "Hm.\n</think>\n\nHi!",
    promptEnd: "<|im_start|>assistant\n<think>\n",
    thought: ["Hm.\n</think>"],
    reasoning: "Hm.",
    content: "Hi!",
  },
  "reasoning that both prompt and output begin": {
    output: "<think>Hm.</think>Hi!",
    promptEnd: "<think>",
    thought: ["<think>Hm.</think>"],
    reasoning: "Hm.",
    content: "Hi!",
  },
  "no reasoning after a prompt that has ended it": {
    output: "Hi!\n",
    promptEnd: "<think>\n\n</think>\n\n",
    content: "Hi!\n",
  },
  "no reasoning": { output: "\n\nHi!", content: "\n\nHi!" },
  nothing: { output: "<think>\n\n</think>\n\n", thought: ["<think>\n\n</think>"], content: "" },
  "characters of several tokens in the reasoning": {
    output: "<think>\n😀é</think>😀",
    thought: ["<think>\n😀é</think>"],
    reasoning: "😀é",
    content: "😀",
  },
  "reasoning that the token limit cuts off": {
    output: "<think>\nHm.\n</thi",
    end: "length",
    reasoning: "Hm.\n</thi",
    thought: ["<think>\nHm.\n</thi"],
  },
  "a call after the reasoning, and one in the reasoning that is not a call": {
    output: `<think>\nI could write {"name": "ping"}.\n</think>\n\nOk.\n${PING}`,
    reasoning: 'I could write {"name": "ping"}.',
    thought: ['<think>\nI could write {"name": "ping"}.\n</think>'],
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
  "markers after the text": { output: "Hi <think> </think>", content: "Hi <think> </think>" },
};

const QWEN3: Record<string, Fixture> = {
  ...THINK,
  "a call that ends the reasoning": {
    output: `<think>\nHm.\n${PING}`,
    reasoning: "Hm.",
    thought: ["<think>\nHm.\n"],
    calls: [["ping", "{}"]],
  },
};

const GLM: Record<string, Fixture> = {
  "a call in the reasoning": {
    output: "<think>Try <tool_call>ping\n</tool_call>?</think>\n<tool_call>ping\n</tool_call>",
    reasoning: "Try <tool_call>ping\n</tool_call>?",
    thought: ["<think>Try <tool_call>ping\n</tool_call>?</think>"],
    calls: [["ping", "{}"]],
  },
};

const R1: Record<string, Fixture> = {
  "reasoning without an opening marker": {
    output: "Hm.</think>Hi!",
    reasoning: "Hm.",
    thought: ["Hm.</think>"],
    content: "Hi!",
  },
  "reasoning that the prompt has ended": { output: "Hi!", promptEnd: "<think>\n</think>\n", content: "Hi!" },
};

const KIMI_K2: Record<string, Fixture> = {
  "a call that ends the reasoning": {
    output:
      "<think>Hm.<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:3<|tool_call_argument_begin|>{}" +
      "<|tool_call_end|><|tool_calls_section_end|>",
    reasoning: "Hm.",
    thought: ["<think>Hm."],
    calls: [["ping", "{}", "functions.ping:3"]],
  },
};

const MISTRAL: Record<string, Fixture> = {
  "reasoning, text and a call": {
    output: "[THINK]Hm.[/THINK]Ok.[TOOL_CALLS]ping[ARGS]{}",
    thought: ["[THINK]Hm.[/THINK]"],
    reasoning: "Hm.",
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
};

const KIMI: Record<string, Fixture> = {
  "reasoning, then text": {
    output: "◁think▷Hm.◁/think▷Hi!",
    reasoning: "Hm.",
    thought: ["◁think▷Hm.◁/think▷"],
    content: "Hi!",
  },
};

const SEED: Record<string, Fixture> = {
  "reasoning, then text": {
    output: "<seed:think>Hm.</seed:think>Hi!",
    reasoning: "Hm.",
    thought: ["<seed:think>Hm.</seed:think>"],
    content: "Hi!",
  },
};

const K3_THINK = '<|open|>message role="assistant"<|sep|><|open|>think<|sep|>';
const K3_PING =
  '<|open|>tools<|sep|><|open|>call tool="ping" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>';
const KIMI_K3: Record<string, Fixture> = {
  "reasoning that the prompt has begun, text and a call": {
    output: `Hm.<|close|>think<|sep|><|open|>response<|sep|>Hi!<|close|>response<|sep|>${K3_PING}<|close|>message<|sep|>`,
    promptEnd: K3_THINK,
    reasoning: "Hm.",
    thought: ["Hm.<|close|>think<|sep|>"],
    content: "Hi!",
    calls: [["ping", "{}"]],
  },
  "reasoning that the output begins": {
    output: "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Hi!<|close|>response<|sep|>",
    reasoning: "Hm.",
    thought: ["<|open|>think<|sep|>Hm.<|close|>think<|sep|>"],
    content: "Hi!",
  },
  "reasoning that the token limit cuts off": {
    output: "Hm",
    promptEnd: K3_THINK,
    end: "length",
    reasoning: "Hm",
    thought: ["Hm"],
  },
};

const FAMILIES: [OutputFamilies, Record<string, Fixture>][] = [
  [{ tools: "hermes", reasoning: "deepseek_v3" }, THINK],
  [{ tools: "hermes", reasoning: "qwen3" }, QWEN3],
  [{ tools: "glm45", reasoning: "glm45" }, GLM],
  [{ tools: "none", reasoning: "deepseek_r1" }, R1],
  [{ tools: "kimi_k2", reasoning: "kimi_k2" }, KIMI_K2],
  [{ tools: "mistral", reasoning: "mistral" }, MISTRAL],
  [{ tools: "none", reasoning: "kimi" }, KIMI],
  [{ tools: "none", reasoning: "seed_oss" }, SEED],
  [{ tools: "gpt_oss", reasoning: "gpt_oss" }, HARMONY],
  [{ tools: "kimi_k3", reasoning: "kimi_k3" }, KIMI_K3],
];

const CASES = FAMILIES.flatMap(([families, fixtures]) =>
  makeTexts(families).flatMap(([kind, text]) =>
    Object.entries(fixtures).map(([name, fixture]) => ({
      families,
      of: families.reasoning,
      kind,
      text,
      name,
      fixture,
    })),
  ),
);

describe("reasoning", () => {
  it.each(CASES)("is read: $name ($of, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});
