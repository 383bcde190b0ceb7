import { describe, expect, it } from "vitest";
import type { OutputEvent } from "../../../src/model/output/output-parser.js";
import { makeTexts, TOOLS } from "./support/fixtures.js";
import { chunks, encodeText, numbers, one, read, type TestText } from "./support/outputs.js";

/** Text events name the tokens of their text. Each token occurs once. */

const FAMILIES = { tools: "hermes", reasoning: "qwen3" } as const;
const CALL = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>';
const BROKEN = "<tool_call>\nping()\n</tool_call>";

const OUTPUTS: [string, string, stop?: string][] = [
  ["text alone", "Hello,  world \n\n"],
  ["text after reasoning", "<think>\nHm, the text.\n</think>\n\n  Hello"],
  ["text around a call", `So:\n${CALL}\n\nThat is it.`],
  ["a malformed call", `So:\n${BROKEN} behind`],
  ["characters of several tokens", "<think>é😀</think>😀é and 😀"],
  ["text up to a stop string", "Hello, world. STOP it", "STOP"],
  ["calls alone", `<think>Hm.</think>${CALL}\n${CALL}`],
];

interface Run {
  text: string;
  ids: number[];
}

/** Joins adjacent texts, with their tokens. */
function collectRuns(events: readonly OutputEvent[], ids: readonly number[]): Run[] {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const event of events) {
    if (event.type !== "text") open = undefined;
    if (event.type !== "text" || event.tokens === undefined) continue;
    if (open === undefined) runs.push((open = { text: "", ids: [] }));
    open.text += event.text;
    open.ids.push(...ids.slice(event.tokens.from, event.tokens.to));
  }
  return runs;
}

function decoded({ tokenizer }: TestText, ids: readonly number[]): string {
  return tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens: false });
}

function expectTokens(text: TestText, output: string, pushes: readonly Int32Array[], stop: string | undefined): Run[] {
  const ids = encodeText(text, output);
  const options = { tools: TOOLS, textTokens: true, stop: stop === undefined ? [] : [stop] };
  const { told, message } = read(text, FAMILIES, pushes, options);
  const events = told.flat();
  expect(events.every((event) => event.type !== "text" || event.tokens !== undefined)).toBe(true);
  const runs = collectRuns(events, ids);
  for (const run of runs) {
    // The line break between two texts belongs to no token.
    const shown = run.text.replace(/^\n/, "");
    expect(decoded(text, run.ids)).toContain(shown);
    expect(decoded(text, run.ids.slice(1)).includes(shown)).toBe(false);
    expect(decoded(text, run.ids.slice(0, -1)).includes(shown)).toBe(false);
  }
  expect(runs.map((run) => run.text).join("")).toBe(message.content);
  return runs;
}

const CASES = makeTexts(FAMILIES).flatMap(([kind, text]) =>
  OUTPUTS.map(([name, output, stop]) => ({ kind, text, name, output, stop })),
);

describe("text events with tokens", () => {
  it.each(CASES)("contain each token of the text once: $name (markers are $kind)", ({ text, output, stop }) => {
    const ids = encodeText(text, output);
    const whole = expectTokens(text, output, [Int32Array.from(ids)], stop);
    const next = numbers(3);
    for (const pushes of [one(ids), chunks(ids, next), chunks(ids, next, 9)]) {
      expect(expectTokens(text, output, pushes, stop)).toEqual(whole);
    }
    expect(whole.length).toBe(output.endsWith(CALL) ? 0 : output.includes(`${CALL}\n\n`) ? 2 : 1);
  });
});
