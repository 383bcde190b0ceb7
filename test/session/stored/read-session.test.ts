import { describe, expect, it } from "vitest";
import { recordKey } from "../../../src/session/stored/keys.js";
import { encodeOutcome, NO_OUTCOME } from "../../../src/session/stored/outcome-record.js";
import { nameByNumber, readStoredSession, requireComplete } from "../../../src/session/stored/read-session.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

describe("the records of a session without interactions", () => {
  it("are none", () => {
    const stored = runAtOnce(readStoredSession("task-0", []));
    expect(stored).toEqual({ interactions: [], outcomes: [], added: [], images: [] });
    expect(() => requireComplete("task-0", stored, { interactionCount: 0, rewards: 0 })).not.toThrow();
    expect(() => requireComplete("task-0", stored, { interactionCount: 1, rewards: 0 })).toThrow(
      "Session task-0 is damaged: interactions: 0 instead of 1",
    );
    expect(() => requireComplete("task-0", stored, { interactionCount: 0, rewards: 1 })).toThrow(
      "Session task-0 is damaged: rewards of interactions: 0 instead of 1",
    );
    expect(nameByNumber(7)).toBe("the session whose id ends with -7");
  });

  it.each(["outcome", "channels", "images"] as const)("must not have one of kind %s", (kind) => {
    const record = { key: recordKey(0, kind, 0), value: Buffer.from(encodeOutcome(NO_OUTCOME)) };
    expect(() => runAtOnce(readStoredSession("task-0", [record]))).toThrow(
      `Session task-0 is damaged: ${kind} 0: interaction 0 does not exist`,
    );
  });
});
