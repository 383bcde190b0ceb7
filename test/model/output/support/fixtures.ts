import { expect } from "vitest";
import type { Tool } from "../../../../src/conversation/message.js";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { createOutputFormat } from "../../../../src/model/output/output-format.js";
import type { OutputEnd, OutputParserOptions } from "../../../../src/model/output/output-parser.js";
import { byteLevelText, chunks, collectMessage, encodeText, numbers, one, read, type TestText } from "./outputs.js";

const tool = (name: string, properties: object): Tool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties } },
});

const SCHEMA_WITH_REFERENCES = {
  type: "object",
  properties: {
    unit: { anyOf: [{ $ref: "#/$defs/Unit" }, { type: "null" }] },
    at: { $ref: "#/$defs/Point" },
    loop: { $ref: "#/$defs/Loop" },
  },
  $defs: {
    Unit: { type: "string", enum: ["c", "f"] },
    Point: { type: "array", items: { type: "number" } },
    Loop: { $ref: "#/$defs/Loop" },
  },
};

export const TOOLS: readonly Tool[] = [
  tool("get_weather", { city: { type: "string" }, days: { type: "integer" }, metric: { type: "boolean" } }),
  tool("edit", {
    path: { type: "string" },
    lines: { type: "array" },
    options: { type: "object" },
    scale: { type: "number" },
    note: { anyOf: [{ type: "string" }, { type: "null" }] },
  }),
  tool("ping", {}),
  tool("say", { text: { type: "string", nullable: true } }),
  { type: "function", function: { name: "turn", parameters: SCHEMA_WITH_REFERENCES } },
];

/** An output, and the result that its parser must return. */
export interface Fixture {
  readonly output: string;
  readonly content?: string;
  readonly reasoning?: string;
  /** The parts of the output that count as reasoning, with markers and headers. */
  readonly thought?: readonly string[];
  /** Name and arguments of each call, and its id if the format has ids. */
  readonly calls?: readonly (readonly [name: string, args: string, id?: string])[];
  readonly toolCalls?: "none" | "calls" | "malformed";
  readonly promptEnd?: string;
  readonly end?: OutputEnd;
}

const ENDS: Partial<Record<OutputFamilies["tools"], string>> = { gpt_oss: "<|return|>" };

/** Makes three vocabularies in which the family's markers are special tokens, other added tokens, or plain text. */
export function makeTexts(families: OutputFamilies): [string, TestText][] {
  const { markers } = createOutputFormat(families, { tools: TOOLS, stop: [], stopTokenIds: [], promptEnd: "" });
  // A quote or a brace in a marker would make the tokenizer find it in JSON.
  const tokens = markers.filter((marker) => /^[<[◁].*[>\]▷]$/u.test(marker));
  const end = ENDS[families.tools] ?? "<|im_end|>";
  const make = (special: boolean) => byteLevelText(tokens.map((content) => ({ content, special })));
  const none = byteLevelText(tokens.includes(end) ? [{ content: end }] : []);
  return [
    ["special tokens", make(true)],
    ["added tokens", make(false)],
    ["text", none],
  ];
}

/** Reads a fixture's output in pushes of every size, and compares each result. */
export function expectFixture(text: TestText, families: OutputFamilies, fixture: Fixture): void {
  const ids = encodeText(text, fixture.output);
  const expected = toExpected(fixture);
  for (const pushes of listPushes(ids)) {
    const options: Partial<OutputParserOptions> = { tools: TOOLS, promptEnd: fixture.promptEnd ?? "" };
    const { told, message, toolCalls, reasoningTokens } = read(text, families, pushes, options, fixture.end);
    expect(reasoningTokens).toBe(countReasoningTokens(text, fixture));
    const events = collectMessage(told.flat());
    const said = { content: message.content, reasoning: message.reasoning ?? "", calls: message.toolCalls ?? [] };
    expect(events).toEqual(said);
    expect({ ...said, calls: said.calls.map((call) => [call.name, call.arguments]), toolCalls }).toEqual(expected);
    for (const [index, [, , id]] of (fixture.calls ?? []).entries()) {
      if (id !== undefined && said.calls[index]) expect(said.calls[index].id).toBe(id);
    }
  }
}

/** Counts the tokens that begin in one of the reasoning parts. A token begins where the decode of all earlier tokens ends. */
function countReasoningTokens(text: TestText, { output, thought = [] }: Fixture): number {
  const ids = encodeText(text, output);
  const starts = ids.map((_, i) => {
    const before = text.tokenizer.decode(Int32Array.from(ids.slice(0, i)), { skipSpecialTokens: false });
    return before.replace(/\uFFFD+$/, "").length;
  });
  let at = 0;
  let count = 0;
  for (const part of thought) {
    const from = output.indexOf(part, at);
    if (from < 0) throw new Error(`${part} is not in ${output}`);
    at = from + part.length;
    count += starts.filter((start) => start >= from && start < at).length;
  }
  return count;
}

function toExpected({ content = "", reasoning = "", calls = [], toolCalls }: Fixture) {
  return {
    content,
    reasoning,
    calls: calls.map(([name, args]) => [name, args]),
    toolCalls: toolCalls ?? (calls.length > 0 ? "calls" : "none"),
  };
}

/** Longer outputs are split only at some places. */
const SHORT = 40;

/** Lists ways to push ids: all at once, in frames of 1, 2 and 3, in two parts split at every place, and at random. */
function listPushes(ids: readonly number[]): Int32Array[][] {
  const next = numbers(ids.length);
  const places = ids.length <= SHORT ? ids.map((_, at) => at) : Array.from({ length: SHORT }, () => next(ids.length));
  const halves = places.map((at) => [Int32Array.from(ids.slice(0, at)), Int32Array.from(ids.slice(at))]);
  const random = Array.from({ length: 10 }, () => chunks(ids, next, 6));
  const frames = [2, 3].map((size) => chunks(ids, () => size - 1, size));
  return [[Int32Array.from(ids)], one(ids), ...frames, ...halves, ...random];
}
