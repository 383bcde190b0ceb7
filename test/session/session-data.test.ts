import { expect, it, vi } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { Session, type SessionOptions } from "../../src/session/session.js";
import { measureMessages, measureRequest } from "../../src/session/session-size.js";
import type { SessionJournal } from "../../src/session/stored/journal.js";
import { recordTurn } from "../helpers/record-turn.js";

const ask: Message = { role: "user", content: "question" };
const answer: Message = { role: "assistant", content: "answer" };

/** A session with two calls, of which the second continues the first. */
function open(options: Partial<SessionOptions> = {}): Session {
  const session = new Session({ id: "s", taskId: "task", ...options });
  const templateArgs = { enable_thinking: false };
  const prompt = (...ids: number[]) => ({ pieces: [Int32Array.from(ids)] });
  recordTurn(session, { messages: [ask], templateArgs }, { output: [answer], request: "r" }, prompt(1));
  recordTurn(session, { messages: [ask, answer, ask], templateArgs }, { output: [answer] }, prompt(1, 2));
  return session;
}

/** A journal that keeps what it is told. */
function listen() {
  const told: unknown[][] = [];
  const note =
    (name: string) =>
    (...args: unknown[]): void =>
      void told.push([name, ...args]);
  const journal = {
    recorded: (index: number, { request, objectBytes }: { request: string | undefined; objectBytes: number }) =>
      void told.push(["recorded", index, request, objectBytes]),
    outcomeChanged: note("outcome"),
    channelsAdded: note("channels"),
    summaryChanged: note("summary"),
    freed: note("freed"),
    readTools: () => undefined,
  } as unknown as SessionJournal;
  return { journal, told };
}

it("is unloaded once, and not after it was freed", () => {
  const { data } = open();
  data.unload();
  const { tokens } = data;
  expect([data.isLoaded, data.size.native]).toEqual([false, tokens.byteLength]);
  data.unload();
  expect(data.tokens).toBe(tokens);
  const { data: freed } = open();
  freed.free();
  freed.unload();
  expect([freed.isLoaded, freed.size.isFreed, freed.size.bytes]).toEqual([true, true, 0]);
});

it("is held until each of its users has released it", () => {
  const { data } = open();
  data.hold();
  data.hold();
  data.release();
  expect(data.isHeld).toBe(true);
  data.release();
  expect(data.isHeld).toBe(false);
});

it("stores each call and each change of an outcome, with the reward of the interaction", () => {
  const { journal, told } = listen();
  const session = open({ journal });
  const { data } = session;
  const templateArgs = { enable_thinking: false };
  const bytes = [measureRequest([ask], templateArgs), measureRequest([ask], undefined)].map(
    (request) => request + measureMessages([answer]),
  );
  expect(told.splice(0).filter(([name]) => name !== "summary")).toEqual([
    ["recorded", 0, "r", bytes[0]],
    ["recorded", 1, undefined, bytes[1]],
  ]);
  expect([data.changes, data.rewardCount]).toEqual([2, 0]);
  const outcome = { reward: undefined, answered: false, repeatedBy: undefined, referenced: false };
  session.delivery.answered(0);
  expect([data.setReward(1, 2), data.setReward(1, 3), data.rewardCount]).toEqual([undefined, 2, 1]);
  expect(told.splice(0)).toEqual([
    ["outcome", 0, { ...outcome, answered: true }],
    ["outcome", 1, { ...outcome, reward: 2 }],
    ["outcome", 1, { ...outcome, reward: 3 }],
  ]);
  // An answer that is still being sent counts as answered.
  expect([data.changes, data.readOutcome(1)]).toEqual([5, { ...outcome, answered: true, reward: 3 }]);
});

it("stores nothing without a journal", () => {
  const { data, delivery } = open();
  data.setReward(0, 1);
  expect([data.changes, delivery.awaitsAnswers]).toEqual([0, false]);
});

it("measures the objects of a call that it stores again, with template arguments that its parent has too", () => {
  const { data } = open();
  const size = measureRequest([ask], { enable_thinking: false }) + measureMessages([answer]);
  const [first, second] = [0, 1].map((index) => data.toStored(data.log.at(index)));
  expect([first?.objectBytes, second?.objectBytes]).toEqual([size, size]);
  expect([first?.templateArgs, second?.templateArgs]).toEqual([{ enable_thinking: false }, "parent"]);
});

it("reads the tokens of an interaction, and frees its copy of the prompt", () => {
  const { data } = open();
  const prompt = vi.spyOn(data.tokens, "prompt");
  expect([0, 1].map((index) => [...data.readSequence(index)])).toEqual([[1], [1, 2]]);
  expect(prompt).toHaveBeenCalledTimes(2);
  for (const { value } of prompt.mock.results) {
    expect(() => (value as { tokens: () => unknown }).tokens()).toThrow(/released/);
  }
});

it("has the same known messages for each call of a model, and others for each model", () => {
  const { data } = open();
  const known = [undefined, "a", "b", "a", undefined].map((model) => data.knownOf(model));
  expect(known.map((each) => known.indexOf(each))).toEqual([0, 1, 2, 1, 0]);
});
