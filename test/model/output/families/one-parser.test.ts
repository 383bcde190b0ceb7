import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { TOOLS } from "../support/fixtures.js";
import { byteLevelText, encodeText, one, read } from "../support/outputs.js";

/** Families whose whole output has a form of its own, where the configuration names them for calls or for reasoning only. */

interface Whole {
  readonly family: "gpt_oss" | "kimi_k3";
  readonly promptEnd: string;
  /** Reasons "hm", then says "Sure.". */
  readonly answer: string;
  /** Reasons "hm", then calls `ping`. */
  readonly call: string;
}

const WHOLE: readonly Whole[] = [
  {
    family: "gpt_oss",
    promptEnd: "<|start|>assistant",
    answer: "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Sure.<|return|>",
    call:
      "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.ping " +
      "<|constrain|>json<|message|>{}<|call|>",
  },
  {
    family: "kimi_k3",
    promptEnd: '<|open|>message role="assistant"<|sep|>',
    answer:
      "<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>Sure.<|close|>response<|sep|>" +
      "<|close|>message<|sep|>",
    call:
      '<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="ping" index="1"<|sep|>' +
      "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
  },
];

function parse(output: string, families: OutputFamilies, promptEnd: string) {
  const text = byteLevelText([]);
  const { message, toolCalls } = read(text, families, one(encodeText(text, output)), { tools: TOOLS, promptEnd });
  const calls = message.toolCalls?.map(({ name }) => name) ?? [];
  return { content: message.content, reasoning: message.reasoning ?? "", calls, toolCalls };
}

describe.each(WHOLE)("$family", ({ family, promptEnd, answer, call }) => {
  it.each(["none", "hermes"] as const)("for reasoning only, with %s for calls: has reasoning and no calls", (tools) => {
    const families: OutputFamilies = { tools, reasoning: family };
    expect(parse(answer, families, promptEnd)).toMatchObject({ content: "Sure.", reasoning: "hm", calls: [] });
    expect(parse(call, families, promptEnd)).toMatchObject({ reasoning: "hm", calls: [], toolCalls: "none" });
  });

  it("for calls only: has calls, and its reasoning is text", () => {
    const families: OutputFamilies = { tools: family, reasoning: "none" };
    expect(parse(answer, families, promptEnd)).toMatchObject({ content: "hm\nSure.", reasoning: "" });
    expect(parse(call, families, promptEnd)).toMatchObject({ content: "hm", reasoning: "", calls: ["ping"] });
  });

  it("for both: has both", () => {
    const families: OutputFamilies = { tools: family, reasoning: family };
    expect(parse(answer, families, promptEnd)).toMatchObject({ content: "Sure.", reasoning: "hm", calls: [] });
    expect(parse(call, families, promptEnd)).toMatchObject({ content: "", reasoning: "hm", calls: ["ping"] });
  });
});
