import { describe, expect, it } from "vitest";
import { showAsText } from "../../../src/conversation/media.js";
import type { Message } from "../../../src/conversation/message.js";
import type { RecordedInteraction } from "../../../src/session/recorded-interaction.js";
import { Session } from "../../../src/session/session.js";
import type { Turn } from "../../../src/session/turn/turn.js";
import { beginTurn, recordAnswer, recordTurn } from "../../helpers/record-turn.js";

const question: Message = { role: "user", content: "What is the weather?" };
const answer: Message = {
  role: "assistant",
  content: "I look it up.",
  reasoning: "A tool knows.",
  toolCalls: [{ id: "call-1", name: "weather", arguments: '{"city":"Oslo"}' }],
};
const result: Message = { role: "tool", content: "rain", toolCallId: "call-1" };

/** Records a call as a server does: each request has texts of its own. */
function record(session: Session, messages: readonly Message[], output: Message): RecordedInteraction {
  return recordTurn(session, { messages: structuredClone([...messages]) }, { output: [output] });
}

function begin(session: Session, messages: readonly Message[]): Turn {
  const turn = beginTurn(session, { messages: structuredClone([...messages]) });
  turn.buildPrompt({ pieces: [] });
  return turn;
}

// Two equal texts look the same to a test, so these tests compare the objects that have them.
describe("texts of repeated answers", () => {
  it("keeps the recorded answer instead of the one that the next request repeats", () => {
    const session = new Session({ id: "s", taskId: "s" });
    const first = record(session, [question], answer);
    const next = [question, answer, result];
    record(session, next, { role: "assistant", content: "It rains." });
    const { messages } = begin(session, next);
    expect(messages).toEqual(next);
    expect(messages[1]).toBe(first.output[0]);
  });

  it("keeps the recorded texts of an answer that is repeated without its reasoning", () => {
    const session = new Session({ id: "s", taskId: "s" });
    const first = record(session, [question], answer);
    const { reasoning: _, ...repeated } = answer;
    const next = [question, repeated, result];
    const second = record(session, next, { role: "assistant", content: "It rains." });
    const { messages } = begin(session, next);
    expect(messages).toEqual(next);
    expect(messages[1]?.toolCalls).toBe(first.output[0]?.toolCalls);
    expect(second.input.respelled.get(1)?.toolCalls).toBe(first.output[0]?.toolCalls);
    expect(session.data.log.readMessages(second)).toEqual(next);
  });

  it("keeps the request's own spelling of an answer that the client changed", () => {
    const session = new Session({ id: "s", taskId: "s" });
    record(session, [question], answer);
    const next = [question, { ...answer, content: `${showAsText(answer.content)} ` }, result];
    const second = record(session, next, { role: "assistant", content: "It rains." });
    expect(begin(session, next).messages).toEqual(next);
    expect(session.data.log.readMessages(second)).toEqual(next);
  });

  it("leaves the messages of a later request alone when an earlier one is recorded", () => {
    const session = new Session({ id: "s", taskId: "s" });
    record(session, [question], answer);
    const open = begin(session, [question, answer, result]);
    const other = [{ role: "user", content: "Another question" }, answer, question] as const;
    begin(session, other);
    recordAnswer(open, { output: [answer] });
    expect(begin(session, other).messages).toEqual(other);
  });
});
