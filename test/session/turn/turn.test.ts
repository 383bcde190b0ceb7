import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import { Session } from "../../../src/session/session.js";
import { beginTurn, recordAnswer, recordTurn } from "../../helpers/record-turn.js";

const question: Message = { role: "user", content: "question" };
const answer: Message = { role: "assistant", content: "answer" };
const next: Message = { role: "user", content: "next" };
const tokens = (...ids: readonly number[]) => [Int32Array.from(ids)];

const newSession = () => new Session({ id: "s", taskId: "s" });
const recordFirst = (session: Session) => recordTurn(session, { messages: [question] }, { output: [answer] });

describe("Turn", () => {
  it("searches for its parent again if other calls were recorded since it began", () => {
    const session = newSession();
    const turn = beginTurn(session, { messages: [question, answer, next] });
    expect(turn.parent).toBeUndefined();
    recordFirst(session);
    turn.buildPrompt({ pieces: tokens(1, 2) });
    expect(recordAnswer(turn, { output: [answer] }).parent).toBe(0);
  });

  it("searches for its parent again if an answer was lost since it began", () => {
    const session = newSession();
    recordFirst(session);
    recordFirst(session);
    const turn = beginTurn(session, { messages: [question, answer, next] });
    expect(turn.parent?.index).toBe(1);
    session.delivery.closedEarly(1);
    turn.buildPrompt({ pieces: tokens(1, 2) });
    expect(recordAnswer(turn, { output: [answer] }).parent).toBe(0);
  });

  it("keeps the parent that its prompt continues, although a newer one was recorded", () => {
    const session = newSession();
    recordFirst(session);
    const turn = beginTurn(session, { messages: [question, answer, next] });
    turn.buildPrompt({ pieces: tokens(3), continues: turn.parent });
    recordFirst(session);
    expect(recordAnswer(turn, { output: [answer] })).toMatchObject({ parent: 0, tokenExact: true });
  });

  it("records several answers to one prompt", () => {
    const session = newSession();
    const turn = beginTurn(session, { messages: [question] });
    turn.buildPrompt({ pieces: tokens(1, 2, 3) });
    const recorded = ["a", "b"].map((content) => recordAnswer(turn, { output: [{ ...answer, content }] }));
    expect(recorded.map(({ index }) => index)).toEqual([0, 1]);
    expect(session.counts.promptTokens).toBe(6);
  });

  it("counts only tokens that it does not share with its parent", () => {
    const session = newSession();
    recordTurn(session, { messages: [question] }, { output: [answer] }, { pieces: tokens(1, 2, 3) });
    const turn = beginTurn(session, { messages: [question, answer, next] });
    const rendered = { pieces: tokens(1, 2, 9, 4) };
    const continued = { pieces: tokens(4), continues: turn.parent };
    const growths = [rendered, continued].map((prompt) => {
      turn.buildPrompt(prompt);
      return [turn.countTokens(prompt), turn.prompt.length, turn.measureGrowth().tokens];
    });
    expect(growths).toEqual([
      [4, 4, 2],
      [4, 4, 1],
    ]);
  });

  it("reads the end of its prompt across its pieces, without the interaction that it continues", () => {
    const session = newSession();
    recordTurn(session, { messages: [question] }, { output: [answer] }, { pieces: tokens(1, 2, 3) });
    const turn = beginTurn(session, { messages: [question, answer, next] });
    turn.buildPrompt({ pieces: [...tokens(4, 5), ...tokens(6), ...tokens(7, 8)], continues: turn.parent });
    expect([2, 4, 9].map((count) => Array.from(turn.readPromptEnd(count)))).toEqual([
      [7, 8],
      [5, 6, 7, 8],
      [4, 5, 6, 7, 8],
    ]);
  });

  it("has no prompt until one was built", () => {
    const turn = beginTurn(newSession(), { messages: [question] });
    expect(() => turn.prompt).toThrow("the turn has no prompt yet");
    expect(() => recordAnswer(turn, { output: [answer] })).toThrow("the turn has no prompt yet");
    turn.releasePrompt();
  });
});
