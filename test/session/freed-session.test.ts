import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { Session } from "../../src/session/session.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { beginTurn, recordAnswer } from "../helpers/record-turn.js";
import { turn, user } from "../helpers/turn.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A session with one interaction, whose request was the last that it prepared. */
function recordedSession(): Session {
  const session = new Session({ id: "task-0", taskId: "task" });
  new LocalSession(session).record(turn([user("a long story")], [1, 2], [3]));
  return session;
}

/** A message of the interaction, as the session keeps it. */
function keptMessage(session: Session): WeakRef<Message> {
  const [message] = session.data.log.readMessages(session.interaction(0));
  if (!message) throw new Error("the interaction has no message");
  return new WeakRef(message);
}

async function isCollected(message: WeakRef<Message>): Promise<boolean> {
  // Code that V8 is compiling for other tests may hold an object for some collections.
  for (let round = 0; round < 20; round++) {
    // A reference that is looked at keeps its object until the next iteration of the event loop.
    await nextTurn();
    await nextTurn();
    collect();
    if (message.deref() === undefined) return true;
  }
  return false;
}

describe.each(["exported", "expired"] as const)("a session that is freed as %s", (state) => {
  it("keeps its counts, and no message", async () => {
    const session = recordedSession();
    const message = keptMessage(session);
    session.free(state);
    expect([
      session.state,
      session.interactionCount,
      session.counts.promptTokens,
      session.counts.completionTokens,
    ]).toEqual([state, 1, 2, 1]);
    expect(await isCollected(message)).toBe(true);
    // Still there, as a record of what was.
    expect(session.id).toBe("task-0");
  });

  it("has no bytes, no interactions and takes no rewards", () => {
    const session = recordedSession();
    const { id } = session.interaction(0);
    session.free(state);
    expect([session.data.size.native, session.find(id)]).toEqual([0, undefined]);
    expect(() => session.setReward(1)).toThrow(expect.objectContaining({ code: expect.any(String) as string }));
    expect(() => session.setSessionReward(1)).toThrow(expect.objectContaining({ code: expect.any(String) as string }));
  });

  it("records no call that ends later, and says why", () => {
    const session = recordedSession();
    const late = beginTurn(session, { messages: [{ role: "user", content: "a late story" }] });
    session.free(state);
    expect(() => recordAnswer(late, { output: [] })).toThrow(
      expect.objectContaining({
        code: "session_ended",
        message: `Session task-0 is ${state} and records no more calls.`,
      }) as Error,
    );
  });

  it("has no tokens in native memory", () => {
    const session = recordedSession();
    expect(session.data.readSequence(0)).toHaveLength(3);
    session.free(state);
    expect(() => session.data.readSequence(0)).toThrow(expect.objectContaining({ code: "ERR_RELEASED" }) as Error);
  });

  it("notes nothing more of answers that were not delivered", () => {
    const session = recordedSession();
    session.delivery.closedEarly(0);
    expect(session.leftOut.list()).toEqual([{ index: 0, reason: "undelivered" }]);
    session.free(state);
    session.delivery.closedEarly(0);
    expect(session.leftOut.list()).toEqual([]);
  });
});

it("a session that is not freed keeps its messages", async () => {
  const session = recordedSession();
  expect(await isCollected(keptMessage(session))).toBe(false);
  expect(session.interactionCount).toBe(1);
});
