import { describe, expect, it } from "vitest";
import {
  findWholeOutput,
  isReasoningFamily,
  type OutputFamilies,
  type ReasoningFamily,
  TOOL_FAMILIES,
  type ToolFamily,
} from "../../../src/model/output/family-lookup.js";
import { createOutputFormat } from "../../../src/model/output/output-format.js";
import { makeTexts, TOOLS } from "./support/fixtures.js";
import { chunks, collectMessage, encodeText, numbers, read, type TestText } from "./support/outputs.js";

/** The reasoning family of models with these calls, if it is not the same family. */
const REASONING: Partial<Record<ToolFamily, ReasoningFamily>> = {
  hermes: "qwen3",
  qwen3_coder: "deepseek_r1",
  deepseek_v31: "deepseek_v3",
  deepseek_v4: "deepseek_v3",
  minimax_m2: "deepseek_v3",
  nemotron_nano_v2: "deepseek_v3",
  olmo3: "deepseek_v3",
  hy_v3_preview: "deepseek_v3",
  lfm2: "qwen3",
};

const FAMILIES = [...TOOL_FAMILIES.keys()].map((tools): OutputFamilies => {
  return { tools, reasoning: REASONING[tools] ?? (isReasoningFamily(tools) ? tools : "none") };
});

/** Pieces of calls in every format, from which outputs are put together. */
const PIECES = [
  '{"name": "ping", "arguments": {"a": [1, "x"]}}',
  '{"name": "ping", "parameters": ',
  '{"a": "',
  '"}',
  "}",
  "[",
  "]",
  "ping(a=1)",
  '{"ping": {}}',
  "助手：",
  "functions.ping:0",
  'call tool="ping" index="1"',
  'argument key="a" type="string"',
  "response",
  "tools",
  '" string="false',
  " to=functions.ping",
  "function",
  "ping\n```json\n{}\n```",
  "ping",
  "get_weather",
  "city",
  ">",
  '">',
  ";",
  ",",
  "\n",
  "  ",
  "€ö",
  "\\",
];

/** Returns a random output of markers, partial markers, pieces of calls, and words that occur only once. */
function randomOutput(markers: readonly string[], next: (n: number) => number): { output: string; words: string[] } {
  const words: string[] = [];
  const word = (): string => {
    words.push(`<w${words.length}>`);
    return words.at(-1) ?? "";
  };
  const piece = (): string => {
    const marker = markers[next(markers.length)] ?? "";
    const kind = next(10);
    if (kind < 4) return marker;
    if (kind === 4) return marker.slice(0, next(marker.length));
    return kind < 7 ? word() : (PIECES[next(PIECES.length)] ?? "");
  };
  return { output: Array.from({ length: next(14) }, piece).join(""), words };
}

const count = (text: string, word: string): number => text.split(word).length - 1;

/** Reads the same output in two ways that must agree, and returns all text and calls without markers. */
function readTwice(
  text: TestText,
  families: OutputFamilies,
  ids: readonly number[],
  next: (n: number) => number,
): string {
  const options = {
    tools: TOOLS,
    promptEnd: ["", "<think>", "<|start|>assistant", "<|start|>assistant<|channel|>final<|message|>"][next(4)] ?? "",
    stop: next(8) === 0 ? ["w3"] : [],
  };
  const end = next(2) === 0 ? "stop" : "length";
  const readings = [chunks(ids, next), chunks(ids, next, 20)].map((pushes) => {
    const { told, message, toolCalls, stopString } = read(text, families, pushes, options, end);
    const calls = message.toolCalls?.map(({ name, arguments: args }) => [name, args]) ?? [];
    const said = { content: message.content, reasoning: message.reasoning ?? "", calls, toolCalls, stopString };
    const events = collectMessage(told.flat());
    expect({ ...events, calls: events.calls.map((call) => [call.name, call.arguments]) }).toEqual({
      content: said.content,
      reasoning: said.reasoning,
      calls,
    });
    return { said, ids: message.toolCalls?.map(({ id }) => id) ?? [] };
  });
  expect(readings[0]?.said).toEqual(readings[1]?.said);
  const { said, ids: callIds = [] } = readings[0] ?? {};
  return said?.stopString === undefined ? JSON.stringify([said, callIds]) : "";
}

const CASES = FAMILIES.flatMap((families) =>
  makeTexts(families).map(([kind, text]) => ({ families, tools: families.tools, kind, text })),
);

describe("a random output", () => {
  it.each(CASES)("keeps each word once, in pushes of any size ($tools, markers are $kind)", ({ families, text }) => {
    const next = numbers(7);
    const { markers } = createOutputFormat(families, { tools: TOOLS, stop: [], stopTokenIds: [], promptEnd: "" });
    // Text after this marker that is not an id is dropped with it.
    const written = markers.filter((marker) => marker !== "[CALL_ID]");
    for (let round = 0; round < 300; round++) {
      const { output, words } = randomOutput(written, next);
      const said = readTwice(text, families, encodeText(text, output), next);
      if (said === "") continue;
      for (const word of words) {
        // Formats of whole outputs have headers, and words in a header are dropped.
        const minimum = findWholeOutput(families.tools) ? 0 : 1;
        const times = count(said, word);
        expect(times >= minimum && times <= 1, `${times} × ${word} in ${output}\n${said}`).toBe(true);
      }
    }
  });

  it.each(CASES)("keeps a long text of partial markers ($tools, markers are $kind)", ({ families, text }) => {
    const next = numbers(9);
    const { markers } = createOutputFormat(families, { tools: TOOLS, stop: [], stopTokenIds: [], promptEnd: "" });
    const halves = Array.from({ length: 3000 }, () => {
      const marker = markers[next(markers.length)] ?? "";
      return marker.slice(0, 1 + next(marker.length - 1));
    });
    // Begins with text and ends the reasoning, so parsers of unmarked calls and of forced reasoning keep it as text.
    const output = `Hi ${halves.join(" ")}.`;
    for (const pushes of [[Int32Array.from(encodeText(text, output))], chunks(encodeText(text, output), next, 5000)]) {
      const { message } = read(text, families, pushes, { tools: TOOLS, promptEnd: "</think>" });
      expect(message.content).toBe(output);
    }
  });

  it.each(CASES)("may consist of random tokens ($tools, markers are $kind)", ({ families, text }) => {
    const next = numbers(8);
    for (let round = 0; round < 100; round++) {
      // The last tokens of a vocabulary are the markers.
      const ids = Array.from({ length: next(40) }, () =>
        next(3) === 0 ? text.size - 1 - next(12) : next(text.size + 2),
      );
      expect(typeof readTwice(text, families, ids, next)).toBe("string");
    }
  });
});
