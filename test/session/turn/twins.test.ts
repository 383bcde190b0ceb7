import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import type { RecordedInteraction } from "../../../src/session/recorded-interaction.js";
import { Session } from "../../../src/session/session.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { recordTurn } from "../../helpers/record-turn.js";

const user: Message = { role: "user", content: "weather?" };

function calling(...ids: readonly string[]): Message {
  return { role: "assistant", content: "", toolCalls: ids.map((id) => ({ id, name: "look", arguments: "{}" })) };
}

const result = (toolCallId: string): Message => ({ role: "tool", content: "sunny", toolCallId });

function record(session: Session, messages: readonly Message[], output: Message): RecordedInteraction {
  return recordTurn(session, { messages }, { output: [output] }, { pieces: [Int32Array.of(1)] });
}

const newSession = () => new Session({ id: "s", taskId: "s" });

describe("the parent of a call, if several interactions have the same messages and answer", () => {
  it("is the interaction with the same tool call ids", () => {
    const session = newSession();
    const ids = ["call-a", "call-b", "call-c"];
    const twins = ids.map((id) => record(session, [user], calling(id)));
    const parents = ids.map((id) =>
      record(session, [user, calling(id), result(id)], { role: "assistant", content: "ok" }),
    );
    expect(parents.map(({ parent }) => parent)).toEqual(twins.map(({ index }) => index));
  });

  it("is found by tool call ids earlier in the conversation too", () => {
    const session = newSession();
    const again: Message = { role: "user", content: "sure?" };
    // The agent leaves out tool results, so that only call ids differ.
    const first = record(session, [user, calling("a"), again], { role: "assistant", content: "yes" });
    record(session, [user, calling("b"), again], { role: "assistant", content: "yes" });
    const done: Message = { role: "user", content: "thanks" };
    const next = record(session, [user, calling("a"), again, { role: "assistant", content: "yes" }, done], calling());
    expect(next.parent).toBe(first.index);
    const rewritten = record(session, [user, calling("a"), again, done], calling());
    expect(rewritten.parent).toBe(first.index);
  });

  it("is the newest if no id decides", () => {
    const session = newSession();
    record(session, [user], calling("a"));
    const newest = record(session, [user], calling("b"));
    const unknown = record(session, [user, calling("x"), result("x")], calling());
    expect(unknown.parent).toBe(newest.index);
    const plain = newSession();
    const answer: Message = { role: "assistant", content: "same" };
    record(plain, [user], answer);
    record(plain, [user], answer);
    expect(record(plain, [user, answer, user], answer).parent).toBe(1);
  });

  it("is found by all ids of an answer with several calls", () => {
    const session = newSession();
    const first = record(session, [user], calling("a", "b"));
    record(session, [user], calling("a", "c"));
    expect(record(session, [user, calling("a", "b"), result("a"), result("b")], calling()).parent).toBe(first.index);
  });

  it("is the newest of those whose answer was delivered", () => {
    const session = newSession();
    const answer: Message = { role: "assistant", content: "same" };
    for (let i = 0; i < 4; i++) record(session, [user], answer);
    session.delivery.closedEarly(2);
    session.delivery.closedEarly(3);
    expect(record(session, [user, answer, user], answer).parent).toBe(1);
  });

  it("is the one with exactly the text of the request", () => {
    const session = newSession();
    const texts = ["\n\nsame", "same ", "same"];
    const says = (content: string): Message => ({ role: "assistant", content });
    for (const text of texts) record(session, [user], says(text));
    const parents = texts.map((text) => record(session, [user, says(text), user], says("ok")).parent);
    expect(parents).toEqual([0, 1, 2]);
    expect(record(session, [user, says(" same"), user], says("ok")).parent).toBe(2);
  });

  it("is one that was delivered before one with exactly the text", () => {
    const session = newSession();
    record(session, [user], { role: "assistant", content: "same" });
    const lost = record(session, [user], { role: "assistant", content: "same " });
    session.delivery.closedEarly(lost.index);
    expect(record(session, [user, { role: "assistant", content: "same " }, user], calling()).parent).toBe(0);
  });

  it("is the newest if no answer was delivered", () => {
    const session = newSession();
    const answer: Message = { role: "assistant", content: "same" };
    for (let i = 0; i < 2; i++) {
      record(session, [user], answer);
      session.delivery.closedEarly(i);
    }
    expect(record(session, [user, answer, user], answer).parent).toBe(1);
  });

  it("is an undelivered one if only it has the tool call ids", () => {
    const session = newSession();
    record(session, [user], calling("a"));
    const lost = record(session, [user], calling("b"));
    session.delivery.closedEarly(lost.index);
    expect(record(session, [user, calling("b"), result("b")], calling()).parent).toBe(lost.index);
  });

  it("is the one that the request names as its predecessor, if that is one of them", () => {
    const session = newSession();
    const says = (content: string): Message => ({ role: "assistant", content });
    const [first, second] = [0, 1].map(() => record(session, [user], says("same")));
    const others = [
      record(session, [user], says("other")),
      record(session, [user, says("same"), user], says("same")),
      record(session, [says("same"), user], says("same")),
    ];
    const parentOf = (previous: RecordedInteraction | undefined) =>
      runAtOnce(session.begin({ messages: [user, says("same"), user] }, previous?.id)).parent;
    expect([first, second].map((previous) => parentOf(previous)?.index)).toEqual([0, 1]);
    expect([undefined, ...others].map((previous) => parentOf(previous)?.index)).toEqual([1, 1, 1, 1]);
    expect(parentOf(first)?.rule).toBe("continuation");
  });
});
