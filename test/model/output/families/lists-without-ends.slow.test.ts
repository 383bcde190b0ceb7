import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";

/**
 * Every family whose calls are a list between markers ends the list alike. vLLM's parsers accept a list without its bracket
 * (Nemotron), or without its marker at the end of the output (LFM2). What stands behind a list must not be lost.
 */
interface ListFamily {
  readonly families: OutputFamilies;
  readonly begin: string;
  readonly end: string;
  /** A call of `ping` without arguments. */
  readonly ping: string;
}

const PING = '{"name": "ping", "arguments": {}}';

const FAMILIES: readonly ListFamily[] = [
  {
    families: { tools: "lfm2", reasoning: "none" },
    begin: "<|tool_call_start|>",
    end: "<|tool_call_end|>",
    ping: "ping()",
  },
  {
    families: { tools: "cohere_command", reasoning: "none" },
    begin: "<|START_ACTION|>",
    end: "<|END_ACTION|>",
    ping: '{"tool_call_id": "0", "tool_name": "ping", "parameters": {}}',
  },
  { families: { tools: "nemotron_nano_v2", reasoning: "none" }, begin: "<TOOLCALL>", end: "</TOOLCALL>", ping: PING },
  { families: { tools: "hunyuan_a13b", reasoning: "none" }, begin: "<tool_calls>", end: "</tool_calls>", ping: PING },
  { families: { tools: "phi4_mini", reasoning: "none" }, begin: "<|tool_call|>", end: "<|/tool_call|>", ping: PING },
  {
    families: { tools: "apertus", reasoning: "none" },
    begin: "<|tools_prefix|>",
    end: "<|tools_suffix|>",
    ping: '{"ping": {}}',
  },
];

const CALLED: Fixture["calls"] = [["ping", "{}"]];

const listEnds = ({ begin, end, ping }: ListFamily): Record<string, Fixture> => ({
  "text behind a list without its marker": { output: `${begin}[${ping}]\nDone.`, content: "Done.", calls: CALLED },
  "a list without its marker before another list": {
    output: `${begin}[${ping}]${begin}[${ping}]${end}`,
    calls: [...CALLED, ...CALLED],
  },
  "a list without its marker at the end": { output: `${begin}[${ping}]\n`, calls: CALLED },
  "a list without its bracket": { output: `${begin}[${ping}${end}Done.`, content: "Done.", calls: CALLED },
  "a list without its bracket and its marker at the end": { output: `${begin}[${ping}`, calls: CALLED },
  "text behind a list without its bracket and its marker": {
    output: `${begin}[${ping} or so`,
    content: "or so",
    calls: CALLED,
    toolCalls: "malformed",
  },
  "a call without a list and its marker, and text behind it": {
    output: `${begin}${ping}\nDone.`,
    content: "Done.",
    calls: CALLED,
  },
  "text between a list and its marker": {
    output: `${begin}[${ping}] so ${end} Done.`,
    content: `so ${end} Done.`,
    calls: CALLED,
    toolCalls: "malformed",
  },
  "a closing marker alone": { output: `A ${end}`, content: `A ${end}`, toolCalls: "malformed" },
});

const CASES = FAMILIES.flatMap((family) =>
  makeTexts(family.families).flatMap(([kind, text]) =>
    Object.entries(listEnds(family)).map(([name, fixture]) => ({ ...family, kind, text, name, fixture })),
  ),
);

describe("a parser of lists of calls", () => {
  it.each(CASES)("reads $name ($families.tools, markers are $kind)", ({ families, text, fixture }) => {
    expectFixture(text, families, fixture);
    expect(fixture.output).not.toBe("");
  });
});
