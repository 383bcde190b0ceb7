import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalMessages } from "../../src/conversation/canonical.js";
import type { Message } from "../../src/conversation/message.js";

const one = (message: Message, filters: readonly RegExp[] = []): string | undefined =>
  canonicalMessages([message], filters)[0];
const called = (args: string, name = "f", id = "1"): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id, name, arguments: args }],
});
const same = (a: Message, b: Message): void => expect(one(a)).toBe(one(b));
const different = (a: Message, b: Message): void => expect(one(a)).not.toBe(one(b));

describe("messages that say the same", () => {
  it("differ in trailing white space only", () => {
    same({ role: "user", content: "hi" }, { role: "user", content: "hi \n\t" });
  });

  it("differ in reasoning, names and call ids, which agents drop", () => {
    same({ role: "assistant", content: "a", reasoning: "r", name: "n" }, { role: "assistant", content: "a" });
    same(called("{}", "f", "call_1"), called("{}", "f", "call_2"));
  });

  it("have no tool calls, said or unsaid", () => {
    same({ role: "assistant", content: "a", toolCalls: [] }, { role: "assistant", content: "a" });
  });

  it("spell the same arguments otherwise", () => {
    same(called('{"a":1,"b":[true,null]}'), called('{ "b" : [ true , null ] ,\n"a" : 1.0 }'));
    same(called('{"n":10}'), called('{"n":1e1}'));
    same(called('{"n":0.010}'), called('{"n":1E-2}'));
    same(called('{"n":-0.0}'), called('{"n":0}'));
    same(called('{"s":"\\u0041\\/"}'), called('{"s":"A/"}'));
    same(called('{"a":1,"a":2}'), called('{"a":2}'));
  });

  it("differ in text that a filter takes out", () => {
    const dated = (day: number): Message => ({
      role: "system",
      content: `Today is 2026-11-0${day}. Be brief. [id ${day}]`,
    });
    const filters = [/Today is \S+ /, /\[id \d\]/];
    expect(one(dated(1), filters)).toBe(one(dated(2), filters));
    expect(one(dated(1))).not.toBe(one(dated(2)));
  });
});

describe("messages that say something else", () => {
  it("have another role, developer and system among them", () => {
    different({ role: "system", content: "x" }, { role: "developer", content: "x" });
    different({ role: "user", content: "x" }, { role: "assistant", content: "x" });
  });

  it("have other white space before the end", () => {
    different({ role: "user", content: " hi" }, { role: "user", content: "hi" });
    different({ role: "user", content: "a  b" }, { role: "user", content: "a b" });
  });

  it("answer another call", () => {
    different({ role: "tool", content: "x", toolCallId: "1" }, { role: "tool", content: "x", toolCallId: "2" });
  });

  it("call with integers that doubles cannot tell apart", () => {
    different(called('{"n":12345678901234567890}'), called('{"n":12345678901234567891}'));
  });

  it("call with values of other types", () => {
    different(called('{"n":1}'), called('{"n":"1"}'));
    different(called('{"n":null}'), called("{}"));
    different(called('{"n":[1,[2]]}'), called('{"n":[[1],2]}'));
    different(called('{"n":10}'), called('{"n":1}'));
  });

  it("call with text that is not JSON, which is compared as it is", () => {
    different(called("{'a': 1}"), called('{"a": 1}'));
    different(called("{a"), called("{a "));
    same(called("{a"), called("{a"));
    different(called('"x'), called(JSON.stringify('"x')));
  });

  it("call others, or in another order", () => {
    different(called("{}", "f"), called("{}", "g"));
    const both = (names: string[]): Message => ({
      role: "assistant",
      content: "",
      toolCalls: names.map((name) => ({ id: name, name, arguments: "{}" })),
    });
    different(both(["f", "g"]), both(["g", "f"]));
  });
});

describe("hostile arguments", () => {
  it("nest a hundred thousand levels deep", () => {
    const nested = (inner: string): Message => called("[".repeat(100_000) + inner + "]".repeat(100_000));
    different(nested("1"), nested("2"));
    same(nested("1"), nested("1.0"));
    const objects = (inner: string): Message => called('{"a":[0,'.repeat(50_000) + inner + "]}".repeat(50_000));
    different(objects("1"), objects("2"));
  });

  it("have keys that objects inherit", () => {
    different(called('{"__proto__":{"a":1}}'), called("{}"));
    different(called('{"constructor":1}'), called('{"constructor":2}'));
  });

  it("have numbers of a megabyte", () => {
    different(called(`{"n":1${"0".repeat(1 << 20)}}`), called(`{"n":1${"0".repeat((1 << 20) + 1)}}`));
    same(called(`{"n":1e${"9".repeat(1 << 16)}}`), called(`{"n":1e${"9".repeat(1 << 16)}}`));
  });
});

// The model: what a message says, as a value that vitest compares by structure.
const role = fc.constantFrom<Message["role"]>("system", "developer", "user", "assistant", "tool");
const text = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("", "a", '"', '["user","a"]', "a\n", "\\"));
const message: fc.Arbitrary<Message> = fc.record(
  {
    role,
    content: text,
    toolCalls: fc.array(fc.record({ id: text, name: text, arguments: fc.oneof(text, fc.json({ maxDepth: 2 })) }), {
      maxLength: 2,
    }),
    toolCallId: text,
  },
  { requiredKeys: ["role", "content"] },
);

function parsed(args: string): unknown {
  try {
    return { json: JSON.parse(args) as unknown };
  } catch {
    return { text: args };
  }
}

function said(value: Message): unknown {
  const calls = (value.toolCalls ?? []).map((call) => [call.name, parsed(call.arguments)]);
  return [value.role, value.content.trimEnd(), calls, value.role === "tool" ? (value.toolCallId ?? "") : ""];
}

const isSame = (a: unknown, b: unknown): boolean => {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
};

it("two messages share a string exactly where they say the same", () => {
  fc.assert(
    fc.property(message, message, (a, b) => {
      expect(one(a) === one(b)).toBe(isSame(said(a), said(b)));
    }),
    { numRuns: 2000 },
  );
});
