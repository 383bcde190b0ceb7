import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalMessages } from "../../src/conversation/canonical.js";
import type { Message } from "../../src/conversation/message.js";
import { native } from "../../src/native/addon.js";
import { KnownMessages } from "../../src/session/known-messages.js";

const FILTERS = [/\d+/];

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "system"), content: fc.constantFrom("a", "a ", "b 1", "b 2", "") }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.constantFrom("a", ""),
    reasoning: fc.constantFrom("r", "s"),
    toolCalls: fc.array(
      fc.record({ id: fc.constantFrom("1", "2"), name: fc.constant("f"), arguments: fc.constant("{}") }),
      {
        maxLength: 2,
      },
    ),
  }),
);

/** A request that keeps some messages of the previous one and adds others. */
const step = fc.record({ kept: fc.nat(8), added: fc.array(message, { maxLength: 4 }) });

function fresh(messages: readonly Message[]): Message[] {
  return structuredClone([...messages]);
}

describe("KnownMessages", () => {
  it("returns the same digests as for a first request", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const known = new KnownMessages(FILTERS);
        let messages: Message[] = [];
        for (const { kept, added } of steps) {
          messages = fresh([...messages.slice(0, kept), ...added]);
          const result = known.digest(messages);
          expect(result.messages).toEqual(messages);
          expect(result.digests).toEqual(native.digestMessages(canonicalMessages(messages, FILTERS)));
        }
      }),
    );
  });

  it("reuses the objects of messages that two requests share", () => {
    const known = new KnownMessages([]);
    const first = known.digest([
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ]).messages;
    const next = known.digest(fresh([...first, { role: "user", content: "c" }])).messages;
    expect(next[0]).toBe(first[0]);
    expect(next[1]).toBe(first[1]);
    const edited = known.digest(fresh([{ role: "user", content: "x" }, ...next.slice(1)])).messages;
    expect(edited[1]).not.toBe(next[1]);
  });

  it("does not reuse a message that differs only in fields that are not digested", () => {
    const known = new KnownMessages([]);
    const spoken: Message = { role: "assistant", content: "b" };
    known.digest([{ ...spoken, reasoning: "first" }]);
    expect(known.digest([{ ...spoken, reasoning: "second" }]).messages[0]?.reasoning).toBe("second");
    expect(known.digest([{ ...spoken, name: "n" }]).messages[0]?.name).toBe("n");
    expect(known.digest([spoken]).messages).toEqual([spoken]);
  });
});
