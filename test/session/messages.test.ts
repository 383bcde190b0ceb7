import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { Session } from "../../src/session/session.js";
import { manySessions } from "../helpers/export-model/arbitraries.js";
import type { ModelledSession, Turn } from "../helpers/export-model/modelled-session.js";
import { recordTurn } from "../helpers/record-turn.js";

/** Adds what the search for a parent ignores: trailing white space, and reasoning. */
function spelled({ texts }: Turn, turn: number): Message[] {
  return texts.map((text, i): Message => {
    const content = text + " ".repeat((turn + i) % 3);
    return i % 2 === 0 ? { role: "user", content } : { role: "assistant", content, reasoning: `hm ${turn % 2}` };
  });
}

function recordAll({ turns }: ModelledSession): Message[][] {
  const session = new Session({ id: "s", taskId: "s" });
  const recorded = turns.map((turn, i) =>
    recordTurn(
      session,
      { messages: spelled(turn, i) },
      { output: [{ role: "assistant", content: turn.answer, reasoning: "first" }] },
    ),
  );
  return recorded.map((interaction) => session.data.log.readMessages(interaction));
}

describe("Session.readMessages", () => {
  it("returns the messages exactly as the request spelled them, anywhere in the tree", () => {
    const property = fc.property(manySessions({ undelivered: true }), ({ all }) => {
      for (const session of all) expect(recordAll(session)).toEqual(session.turns.map(spelled));
    });
    fc.assert(property, { numRuns: 200 });
  });
});
