import { describe, expect, it } from "vitest";
import type { SessionTranscript } from "../../src/transcript/format.js";
import { jsonPieces } from "../../src/transcript/json-pieces.js";
import { interaction } from "./lines.js";

describe("the JSON of a transcript", () => {
  it("is written in bounded pieces that give the same text", () => {
    // A character of two halves lies on every cut, whatever their length.
    const long = `"${"\u{1F600}".repeat(500_000)}\n`;
    const answer = {
      role: "assistant",
      content: `x${long}`,
      toolCalls: [{ id: "a", name: "b", arguments: long }],
    } as const;
    const transcript: SessionTranscript = {
      session_id: "s",
      task_id: "t",
      state: "active",
      interactions: [interaction(), interaction({ answer, sampling: { seed: null } }), interaction({ parent: 0 })],
    };
    const pieces = [...jsonPieces(transcript)];
    expect(JSON.parse(pieces.join(""))).toEqual(transcript);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1 << 18);
  });
});
