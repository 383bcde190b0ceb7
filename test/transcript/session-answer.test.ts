import { describe, expect, it } from "vitest";
import { jsonPieces } from "../../src/transcript/json-pieces.js";
import { readSessionAnswer, splitAnswerLines } from "../../src/transcript/session-answer.js";
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

const line = [...jsonPieces({ ...HEAD, interactions: [written, { ...written, parent: 0 }] })].join("");
const read = (text: string) => Array.from(splitAnswerLines(new TextEncoder().encode(text)), readSessionAnswer);

describe("the lines of several transcripts", () => {
  it("splits each line before its interactions, even if a text contains the separator", () => {
    const answers = read(`${line}\n${line}\n`);
    expect(answers).toHaveLength(2);
    for (const answer of answers) {
      if ("code" in answer) throw new Error("the session failed");
      expect(answer.head).toEqual(HEAD);
      expect(JSON.parse(Buffer.from(answer.interactions).toString())).toEqual([written, { ...written, parent: 0 }]);
    }
  });

  it.each(["active", "ended", "exported", "expired"])("reads a session that is %s", (state) => {
    const [answer] = read(`${line.replace('"state":"ended"', `"state":"${state}"`)}\n`);
    expect(answer).toMatchObject({ sessionId: "s", head: { state } });
  });

  it("returns the code and message of a session that failed", () => {
    const failed = { session_id: "t", error: { code: "session_exported", message: "It was exported." } };
    const [first, second] = read(`${line}\n${JSON.stringify(failed)}\n`);
    expect(first).toMatchObject({ head: HEAD });
    expect(second).toEqual({ sessionId: "t", code: "session_exported", message: "It was exported." });
  });

  it.each([
    ["without interactions", `${JSON.stringify(HEAD)}\n`, /error/],
    ["that is cut", line, /last line is not complete/],
    ["with a session on two lines", `${line.replace(',"parent"', ',\n"parent"')}\n`, /must be its last field/],
    ["with fields after the interactions", `${line.replace(/\}$/, ',"more":1}')}\n`, /must be its last field/],
    [
      "with interactions that are no list",
      `${line.replace(/"interactions":\[\{.*$/, '"interactions":5,"more":[]}')}\n`,
      /last field/,
    ],
    ["with an unknown state", `${line.replace('"state":"ended"', '"state":"paused"')}\n`, /state/],
    ["without a summary", `${line.replace('"summary"', '"other"')}\n`, /summary/],
  ])("rejects an answer %s", (__, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
