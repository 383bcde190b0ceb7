import { describe, expect, it } from "vitest";
import type { TranscriptInteraction } from "../../src/transcript/format.js";
import {
  jsonPieces,
  parseTools,
  type WrittenInteraction,
  type WrittenTranscript,
} from "../../src/transcript/json-pieces.js";
import { summarizeInteractions } from "../../src/transcript/summarize.js";
import { interaction } from "./lines.js";

function written(fields: Partial<TranscriptInteraction> = {}): WrittenInteraction {
  const { tools: _, ...rest } = interaction(fields);
  return rest;
}

describe("the JSON of a transcript", () => {
  it("is written in bounded pieces that give the same text", () => {
    // A character of two halves lies on every cut, whatever their length.
    const long = `"${"\u{1F600}".repeat(500_000)}\n`;
    const answer = {
      role: "assistant",
      content: `x${long}`,
      toolCalls: [{ id: "a", name: "b", arguments: long }],
    } as const;
    const transcript: WrittenTranscript = {
      session_id: "s",
      task_id: "t",
      state: "active",
      summary: summarizeInteractions([], undefined),
      interactions: [written(), written({ answer, sampling: { seed: null } }), written({ parent: 0, sampling: {} })],
    };
    const pieces = [...jsonPieces(transcript)];
    expect(JSON.parse(pieces.join(""))).toEqual(transcript);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1 << 18);
  });

  it.each(["", "x"])("has tools as they were spelled, cut between characters, behind %j", (before) => {
    const long = `${before}${"\u{1F600}".repeat(200_000)}`;
    const text = `[{"type":"function","function":{"name":"f","x":1.0,"y":"${long}"}}]`;
    const summary = summarizeInteractions([], undefined);
    const head = { session_id: "s", task_id: "t", state: "active", summary } as const;
    const pieces = [...jsonPieces({ ...head, interactions: [{ ...written(), tools: text }, written()] })];
    const encoded = Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString();
    expect(encoded).toContain(`"tools":${text}`);
    const [first, second] = (JSON.parse(encoded) as { interactions: TranscriptInteraction[] }).interactions;
    expect(first).toEqual({ ...written(), tools: JSON.parse(text) });
    expect(second).toEqual(written());
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1 << 18);
  });

  it("has the tools of an interaction with long texts, and no fields without a value", () => {
    const answer = { role: "assistant", content: "x".repeat(1 << 17), reasoning: undefined } as const;
    const summary = summarizeInteractions([], undefined);
    const head = { session_id: "s", task_id: "t", state: "active", summary } as const;
    // Types allow no undefined, but objects of other rooms have it.
    const messages = [1, 2].map((n) => ({ role: "user", content: `${n}` }));
    const fields = { messages, answer, tools: '[{"x":1.0}]', sampling: {} };
    const long = { ...written(), ...fields } as unknown as WrittenInteraction;
    const text = [...jsonPieces({ ...head, interactions: [long] })].join("");
    expect(text).toContain('"tools":[{"x":1.0}],"id":"i",');
    const { tools: _, ...rest } = long;
    expect(JSON.parse(text)).toEqual({ ...head, interactions: [{ ...rest, tools: [{ x: 1 }] }] });
  });

  it("is that of the transcript whose tools are values", () => {
    const head = {
      session_id: "s",
      task_id: "t",
      state: "active",
      summary: summarizeInteractions([], undefined),
    } as const;
    const transcript: WrittenTranscript = { ...head, interactions: [{ ...written(), tools: "[]" }, written()] };
    expect(parseTools(transcript)).toEqual({ ...head, interactions: [{ ...written(), tools: [] }, written()] });
    expect(JSON.parse([...jsonPieces(transcript)].join(""))).toEqual(parseTools(transcript));
  });
});
