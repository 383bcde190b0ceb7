import { describe, expect, it } from "vitest";
import { Session } from "../../../src/session/session.js";
import { recordTurn } from "../../helpers/record-turn.js";

/** Returns an ended session with one interaction. */
function endedSession(): Session {
  const session = new Session({ id: "s", taskId: "s" });
  const messages = [{ role: "user", content: "hello" }] as const;
  recordTurn(session, { messages }, { output: [{ role: "assistant", content: "ok" }] });
  session.end();
  return session;
}

const lost = [{ index: 0, reason: "undelivered" }];

describe("what exports leave out", () => {
  it.each(["taken", "held"] as const)("does not change after the first export was %s", (outcome) => {
    const session = endedSession();
    session.lifecycle.beginExport();
    expect(session.chooseLeftOut()).toEqual([]);
    session.delivery.closedEarly(0);
    session.endExport(outcome);
    session.lifecycle.reopen();
    expect([session.chooseLeftOut(), session.leftOut.reasonOf(0)]).toEqual([[], undefined]);
    expect(session.summarize().leftOut).toEqual([]);
  });

  it("leaves out an answer that is delivered only after the first export", () => {
    const session = endedSession();
    session.delivery.closedEarly(0);
    session.lifecycle.beginExport();
    expect(session.chooseLeftOut()).toEqual(lost);
    session.endExport("taken");
    session.delivery.answered(0);
    expect([session.leftOut.list(), session.leftOut.reasonOf(0), session.summarize().leftOut]).toEqual([
      lost,
      "undelivered",
      lost,
    ]);
  });

  it("is the same for exports at the same time, and is chosen anew if none of them was settled", () => {
    const session = endedSession();
    session.lifecycle.beginExport();
    session.lifecycle.beginExport();
    session.chooseLeftOut();
    session.delivery.closedEarly(0);
    session.endExport("left");
    expect(session.chooseLeftOut()).toEqual([]);
    session.endExport("left");
    expect([session.leftOut.list(), session.summarize().leftOut]).toEqual([lost, undefined]);
  });
});
