import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalMessages } from "../../../src/conversation/canonical.js";
import type { Message } from "../../../src/conversation/message.js";
import { native } from "../../../src/native/addon.js";
import { KnownMessages } from "../../../src/session/turn/known-messages.js";
import { HUGE_TEXT } from "../../../src/support/async/run-steps.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

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

const digest = (known: KnownMessages, messages: readonly Message[]) => runAtOnce(known.digest(messages));

describe("KnownMessages", () => {
  it("returns the same digests as for a first request", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const known = new KnownMessages(FILTERS);
        let messages: Message[] = [];
        for (const { kept, added } of steps) {
          messages = fresh([...messages.slice(0, kept), ...added]);
          const result = digest(known, messages);
          expect(result.messages).toEqual(messages);
          expect(result.digests).toEqual(native.digestMessages(canonicalMessages(messages, FILTERS)));
        }
      }),
    );
  });

  it("reuses the objects of messages that two requests share", () => {
    const known = new KnownMessages([]);
    const first = digest(known, [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
    ]).messages;
    const next = digest(known, fresh([...first, { role: "user", content: "c" }])).messages;
    expect(next[0]).toBe(first[0]);
    expect(next[1]).toBe(first[1]);
    const edited = digest(known, fresh([{ role: "user", content: "x" }, ...next.slice(1)])).messages;
    expect(edited[1]).not.toBe(next[1]);
  });

  it("does not reuse a message that differs only in fields that are not digested", () => {
    const known = new KnownMessages([]);
    const spoken: Message = { role: "assistant", content: "b" };
    digest(known, [{ ...spoken, reasoning: "first" }]);
    expect(digest(known, [{ ...spoken, reasoning: "second" }]).messages[0]?.reasoning).toBe("second");
    expect(digest(known, [{ ...spoken, name: "n" }]).messages[0]?.name).toBe("n");
    expect(digest(known, [spoken]).messages).toEqual([spoken]);
  });

  it("digests megabytes in two steps, between which it may digest another request", () => {
    const known = new KnownMessages([]);
    const long: Message = { role: "user", content: "x".repeat(HUGE_TEXT) };
    const steps = known.digest([long]);
    expect(steps.next().done).toBe(false);
    digest(known, [{ role: "user", content: "another" }]);
    const { value } = steps.next();
    expect(value).toMatchObject({ messages: [long], digests: digest(new KnownMessages([]), [long]).digests });
    expect(digest(known, fresh([long])).messages[0]).toBe(long);
  });
});
