import { describe, expect, it } from "vitest";
import type { Conversation, Message, Tool } from "../../../src/conversation/message.js";
import { native } from "../../../src/native/addon.js";
import { Session } from "../../../src/session/session.js";
import type { PromptTokens } from "../../../src/session/turn/turn.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
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

  it("keeps names and stop strings of agents up to a length, and no empty facts", () => {
    const session = newSession();
    const generation = new native.Generation();
    generation.append(Int32Array.of(7, 8), Float32Array.of(-1, -1), 3);
    const stopString = "x".repeat(256);
    const facts = { requestedModel: "é".repeat(200), stopString, frozen: true, generation };
    const long = recordTurn(session, { messages: [question] }, { output: [answer], ...facts });
    expect(long).toMatchObject({ stopString, frozen: true, lastTokenId: 8, parent: -1, index: 0 });
    expect(long.requestedModel).toBe("é".repeat(128));
    const without = recordTurn(
      session,
      { messages: [question] },
      { output: [answer], stopString: `${stopString}x`, frozen: false },
      { pieces: [], extended: false },
    );
    for (const fact of ["stopString", "frozen", "extended", "lastTokenId", "requestedModel", "toolsBytes"] as const) {
      expect(without[fact]).toBeUndefined();
    }
    expect(without.id).toMatch(/^interaction-[0-9a-f-]{36}$/);
  });

  it("knows why its prompt does not begin with the tokens of its parent", () => {
    const tools: readonly Tool[] = [{ type: "function", function: { name: "look" } }];
    const templateArgs = { enable_thinking: false };
    const repeated = [question, answer, next];
    const causeOf = (conversation: Conversation, prompt: PromptTokens = { pieces: tokens(9) }) => {
      const session = newSession();
      recordTurn(session, { messages: [question], templateArgs }, { output: [answer] }, { pieces: tokens(1, 2) });
      return recordTurn(session, conversation, { output: [answer] }, prompt).fallback;
    };
    expect([
      causeOf({ messages: [question, next], templateArgs }),
      causeOf({ messages: repeated, templateArgs, tools }),
      causeOf({ messages: repeated }),
      causeOf({ messages: repeated, templateArgs: { ...templateArgs } }),
      causeOf({ messages: repeated, templateArgs }, { pieces: tokens(9), fallback: "of the caller" }),
      causeOf({ messages: repeated, templateArgs }, { pieces: tokens(1, 2, 3) }),
      causeOf({ messages: [next], templateArgs }),
    ]).toEqual([
      "history_rewritten",
      "tools_changed",
      "template_args_changed",
      "rerendered",
      "of the caller",
      undefined,
      undefined,
    ]);
  });

  it("continues only calls of its own model", () => {
    const session = newSession();
    const begin = (messages: readonly Message[], model?: string) =>
      runAtOnce(session.begin({ messages }, undefined, undefined, model));
    for (const model of ["m", undefined]) {
      const turn = begin([question], model);
      turn.buildPrompt({ pieces: tokens(1) });
      recordAnswer(turn, { output: [answer], requestedModel: model });
    }
    const parents = ["m", undefined, "other"].map((model) => begin([question, answer, next], model).parent?.index);
    expect(parents).toEqual([0, 1, undefined]);
  });

  it("whose prompt is given as tokens has the given place, and is no parent of calls with the same text", () => {
    const session = newSession();
    recordFirst(session);
    const place = { parent: undefined, rest: Int32Array.of(1) };
    const turn = runAtOnce(session.begin({ messages: [question, answer, next] }, undefined, place));
    expect(turn.parent).toBeUndefined();
    turn.buildPrompt({ pieces: tokens(1) });
    expect(recordAnswer(turn, { output: [answer] })).toMatchObject({ index: 1, parent: -1 });
    expect(beginTurn(session, { messages: [question, answer, next, answer, next] }).parent?.index).toBe(0);
  });

  it("measures tools once in a session", () => {
    const session = newSession();
    const tools: readonly Tool[] = [{ type: "function", function: { name: "look" } }];
    const size = JSON.stringify(tools).length;
    const growth = (conversation: Conversation) => {
      const turn = beginTurn(session, conversation);
      turn.buildPrompt({ pieces: tokens(1) });
      return turn.measureGrowth().bytes;
    };
    const without = growth({ messages: [question] });
    expect(growth({ messages: [question], tools }) - without).toBe(size);
    expect(recordTurn(session, { messages: [question], tools }, { output: [answer] }).toolsBytes).toBe(size);
    expect(growth({ messages: [next], tools })).toBe(growth({ messages: [next] }));
    expect(recordTurn(session, { messages: [question], tools }, { output: [answer] }).toolsBytes).toBeUndefined();
  });

  it("gives an answer that the client repeats its reasoning back, if the client did not send any", () => {
    const session = newSession();
    recordTurn(session, { messages: [question] }, { output: [{ ...answer, reasoning: "because" }] });
    const unknown: Message = { ...answer, hasUnknownReasoning: true };
    const turn = beginTurn(session, { messages: [question, unknown, next] });
    expect([turn.parent?.index, turn.messages[1]?.reasoning]).toEqual([0, "because"]);
    expect(beginTurn(session, { messages: [question, answer, next] }).messages[1]).not.toHaveProperty("reasoning");
  });

  it("finds the answer with the longest text to which the client has added more", () => {
    const session = newSession();
    const says = (content: string, fields: Partial<Message> = {}): Message => ({ ...answer, content, ...fields });
    const call = { toolCalls: [{ id: "a", name: "look", arguments: "{}" }] };
    for (const output of [says("Thought"), says("Thought: a"), says("Thought: a b", call), says(" "), says("Other")]) {
      recordTurn(session, { messages: [question] }, { output: [output] });
    }
    const find = (...messages: Message[]) => beginTurn(session, { messages }).findExtended();
    expect(find(question, says("Thought: a b c"), next)).toEqual({ index: 1, position: 1 });
    expect(find(question, says("Thoughts"), next)).toEqual({ index: 0, position: 1 });
    expect(find(question, says("Thought"), next)).toBeUndefined();
    expect(find(question, says("Thoughts"))).toBeUndefined();
    expect(find(question, says("Thoughts", call), next)).toBeUndefined();
    expect(find(next, says("Thoughts"), next)).toBeUndefined();
    expect(find(question, says(" x"), next)).toBeUndefined();
    expect(find(question, next)).toBeUndefined();
  });

  it("has no prompt until one was built", () => {
    const turn = beginTurn(newSession(), { messages: [question] });
    expect(() => turn.prompt).toThrow("the turn has no prompt yet");
    expect(() => recordAnswer(turn, { output: [answer] })).toThrow("the turn has no prompt yet");
    turn.releasePrompt();
  });
});
