import { describe, expect, it } from "vitest";
import { jsonPieces } from "../../src/transcript/json-pieces.js";
import { splitSessionAnswer } from "../../src/transcript/session-answer.js";
import { summarizeInteractions } from "../../src/transcript/summarize.js";
import { interaction } from "./lines.js";

const { tools: _, ...written } = interaction({ answer: { role: "assistant", content: 'a\n","interactions":[' } });
const HEAD = {
  session_id: "s",
  task_id: 'quoted ","interactions":[{}]',
  state: "ended",
  session_reward: 0.5,
  summary: summarizeInteractions([written], 0.5),
} as const;

const bytesOf = (text: string) => new TextEncoder().encode(text);
const answer = [...jsonPieces({ ...HEAD, interactions: [written, { ...written, parent: 0 }] })].join("");

describe("the answer of a session's transcript", () => {
  it("is split before its interactions, also if texts look like the place", () => {
    const { head, interactions } = splitSessionAnswer(bytesOf(answer));
    expect(head).toEqual(HEAD);
    expect(JSON.parse(Buffer.from(interactions).toString())).toEqual([written, { ...written, parent: 0 }]);
  });

  it.each([
    ["without interactions", JSON.stringify(HEAD), /must be the last field, on one line/],
    ["that is cut", answer.slice(0, -1), /must be the last field, on one line/],
    ["of several lines", answer.replace(',"parent"', ',\n"parent"'), /must be the last field, on one line/],
    ["with fields after the interactions", answer.replace(/\}$/, ',"more":1}'), /must be the last field, on one line/],
    ["without a summary", answer.replace('"summary"', '"other"'), /summary/],
  ])("is refused %s", (__, text, message) => {
    expect(() => splitSessionAnswer(bytesOf(text))).toThrow(message);
  });
});
