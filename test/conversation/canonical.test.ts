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
const user = (content: string): Message => ({ role: "user", content });
const says = (content: string, more: Partial<Message> = {}): Message => ({ role: "assistant", content, ...more });
const answers = (toolCallId: string): Message => ({ role: "tool", content: "x", toolCallId });
const callsAll = (names: string[]): Message =>
  says("", { toolCalls: names.map((name) => ({ id: name, name, arguments: "{}" })) });
const nestedArrays = (inner: string): Message => called("[".repeat(100_000) + inner + "]".repeat(100_000));
const nestedObjects = (inner: string): Message => called('{"a":[0,'.repeat(50_000) + inner + "]}".repeat(50_000));

describe("messages that say the same", () => {
  it.each<[string, Message, Message]>([
    ["but for trailing white space", user("hi"), user("hi \n\t")],
    ["but for reasoning and names, which agents drop", says("a", { reasoning: "r", name: "n" }), says("a")],
    ["but for call ids", called("{}", "f", "call_1"), called("{}", "f", "call_2")],
    ["and have no tool calls, said or unsaid", says("a", { toolCalls: [] }), says("a")],
    [
      "with other spaces, order of keys and numbers",
      called('{"a":1,"b":[true,null]}'),
      called('{ "b" : [ true , null ] ,\n"a" : 1.0 }'),
    ],
    ["with an exponent", called('{"n":10}'), called('{"n":1e1}')],
    ["with trailing zeros", called('{"n":0.010}'), called('{"n":1E-2}')],
    ["with a negative zero", called('{"n":-0.0}'), called('{"n":0}')],
    ["with escapes", called('{"s":"\\u0041\\/"}'), called('{"s":"A/"}')],
    ["with a key said twice", called('{"a":1,"a":2}'), called('{"a":2}')],
    ["that is no JSON", called("{a"), called("{a")],
    ["a hundred thousand levels deep", nestedArrays("1"), nestedArrays("1.0")],
    [
      "with an exponent of a megabyte",
      called(`{"n":1e${"9".repeat(1 << 16)}}`),
      called(`{"n":1e${"9".repeat(1 << 16)}}`),
    ],
  ])("%s share a string", (_, a, b) => {
    expect(one(a)).toBe(one(b));
  });

  it("but for text that a filter takes out share a string", () => {
    const dated = (day: number): Message => user(`Today is 2026-11-0${day}. Be brief. [id ${day}]`);
    const filters = [/Today is \S+ /, /\[id \d\]/];
    expect(one(dated(1), filters)).toBe(one(dated(2), filters));
    expect(one(dated(1))).not.toBe(one(dated(2)));
  });
});

describe("messages that say something else", () => {
  it.each<[string, Message, Message]>([
    ["as system and developer", { role: "system", content: "x" }, { role: "developer", content: "x" }],
    ["as user and assistant", user("x"), says("x")],
    ["by white space before the text", user(" hi"), user("hi")],
    ["by white space inside the text", user("a  b"), user("a b")],
    ["by answering another call", answers("1"), answers("2")],
    [
      "by integers that doubles cannot tell apart",
      called('{"n":12345678901234567890}'),
      called('{"n":12345678901234567891}'),
    ],
    ["by the type of a value", called('{"n":1}'), called('{"n":"1"}')],
    ["by a key with null", called('{"n":null}'), called("{}")],
    ["by the shape of lists", called('{"n":[1,[2]]}'), called('{"n":[[1],2]}')],
    ["by a zero", called('{"n":10}'), called('{"n":1}')],
    ["by what is no JSON", called("{'a': 1}"), called('{"a": 1}')],
    ["by the spaces of what is no JSON", called("{a"), called("{a ")],
    ["by a text and its JSON", called('"x'), called(JSON.stringify('"x'))],
    ["by the function's name", called("{}", "f"), called("{}", "g")],
    ["by the order of calls", callsAll(["f", "g"]), callsAll(["g", "f"])],
    ["in lists a hundred thousand levels deep", nestedArrays("1"), nestedArrays("2")],
    ["in objects a hundred thousand levels deep", nestedObjects("1"), nestedObjects("2")],
    ["by __proto__", called('{"__proto__":{"a":1}}'), called("{}")],
    ["by constructor", called('{"constructor":1}'), called('{"constructor":2}')],
    [
      "by the last zero of a megabyte",
      called(`{"n":1${"0".repeat(1 << 20)}}`),
      called(`{"n":1${"0".repeat((1 << 20) + 1)}}`),
    ],
  ])("%s have different strings", (_, a, b) => {
    expect(one(a)).not.toBe(one(b));
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
