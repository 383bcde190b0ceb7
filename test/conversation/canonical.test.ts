import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalMessages } from "../../src/conversation/canonical.js";
import { listParts, type MessageContent, type MessagePart, toContent } from "../../src/conversation/content.js";
import type { Message } from "../../src/conversation/message.js";

const canonicalForm = (message: Message, filters: readonly RegExp[] = []): string | undefined =>
  canonicalMessages([message], filters)[0];
const called = (args: string, name = "f", id = "1"): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id, name, arguments: args }],
});
const user = (content: MessageContent): Message => ({ role: "user", content });
const image = (digit: string, mediaType = "image/png"): MessagePart => ({
  type: "image",
  sha256: digit.repeat(64),
  mediaType,
  width: 2,
  height: 1,
});
const written = (text: string): MessagePart => ({ type: "text", text });
const says = (content: MessageContent, more: Partial<Message> = {}): Message => ({
  role: "assistant",
  content,
  ...more,
});
const answers = (toolCallId: string): Message => ({ role: "tool", content: "x", toolCallId });
const callsAll = (names: string[]): Message =>
  says("", { toolCalls: names.map((name) => ({ id: name, name, arguments: "{}" })) });
const nestedArrays = (inner: string): Message => called("[".repeat(100_000) + inner + "]".repeat(100_000));
const nestedObjects = (inner: string): Message => called('{"a":[0,'.repeat(50_000) + inner + "]}".repeat(50_000));

describe("messages with the same meaning", () => {
  it.each<[string, Message, Message]>([
    ["trailing white space", user("hi"), user("hi \n\t")],
    ["white space before an answer", says("\n a"), says("a")],
    ["white space before an answer with an image", says([written("\n"), image("1")]), says([image("1")])],
    ["reasoning and names, which agents drop", says("a", { reasoning: "r", name: "n" }), says("a")],
    ["call ids", called("{}", "f", "call_1"), called("{}", "f", "call_2")],
    ["an empty list of tool calls", says("a", { toolCalls: [] }), says("a")],
    [
      "spaces, key order and number spelling in arguments",
      called('{"a":1,"b":[true,null]}'),
      called('{ "b" : [ true , null ] ,\n"a" : 1.0 }'),
    ],
    ["an exponent", called('{"n":10}'), called('{"n":1e1}')],
    ["trailing zeros", called('{"n":0.010}'), called('{"n":1E-2}')],
    ["a negative zero", called('{"n":-0.0}'), called('{"n":0}')],
    ["escapes in strings", called('{"s":"\\u0041\\/"}'), called('{"s":"A/"}')],
    ["an earlier value of a repeated key", called('{"a":1,"a":2}'), called('{"a":2}')],
    ["trailing white space after an image", user([image("1"), written("a \n")]), user([image("1"), written("a")])],
    ["white space alone after an image", user([image("1"), written("\n")]), user([image("1")])],
    ["facts that follow from an image's bytes", user([image("1")]), user([image("1", "image/gif")])],
    ["an empty id of the call that a tool result answers", answers(""), { role: "tool", content: "x" }],
    ["nothing: equal arguments that are not JSON", called("{a"), called("{a")],
    ["number spelling a hundred thousand levels deep", nestedArrays("1"), nestedArrays("1.0")],
    [
      "nothing: an exponent of 64 KiB",
      called(`{"n":1e${"9".repeat(1 << 16)}}`),
      called(`{"n":1e${"9".repeat(1 << 16)}}`),
    ],
  ])("have the same canonical form, ignoring %s", (_, a, b) => {
    expect(canonicalForm(a)).toBe(canonicalForm(b));
  });

  it("have the same canonical form, ignoring text that a filter removes", () => {
    const dated = (day: number): Message => user(`Today is 2026-11-0${day}. Be brief. [id ${day}]`);
    const filters = [/Today is \S+ /, /\[id \d\]/];
    expect(canonicalForm(dated(1), filters)).toBe(canonicalForm(dated(2), filters));
    expect(canonicalForm(dated(1))).not.toBe(canonicalForm(dated(2)));
  });

  it("have the same canonical form, ignoring text beside an image that a filter removes", () => {
    const dated = (day: number): Message => user([written(`[id ${day}]`), image("1"), written(`a [id ${day}]`)]);
    expect(canonicalForm(dated(1), [/\[id \d\]/])).toBe(canonicalForm(dated(2), [/\[id \d\]/]));
    expect(canonicalForm(dated(1), [/\[id \d\]/])).toBe(canonicalForm(user([image("1"), written("a")])));
  });
});

describe("messages with different meanings", () => {
  it.each<[string, Message, Message]>([
    ["the roles system and developer", { role: "system", content: "x" }, { role: "developer", content: "x" }],
    ["the roles user and assistant", user("x"), says("x")],
    ["white space before the text of the user", user(" hi"), user("hi")],
    ["white space after an image of an answer", says([image("1"), written("\na")]), says([image("1"), written("a")])],
    ["white space inside the text", user("a  b"), user("a b")],
    ["an image", user([written("see "), image("1")]), user([written("see "), image("2")])],
    ["the number of images", user([image("1")]), user([image("1"), image("1")])],
    ["the order of images", user([image("1"), image("2")]), user([image("2"), image("1")])],
    ["the place of an image", user([written("a"), image("1")]), user([image("1"), written("a")])],
    ["white space before an image", user([written("a "), image("1")]), user([written("a"), image("1")])],
    ["an image and its placeholder", user([image("1")]), user("[image]")],
    ["an image and its digest", user([image("1")]), user("1".repeat(64))],
    ["the call that a tool result answers", answers("1"), answers("2")],
    ["integers that are equal as doubles", called('{"n":12345678901234567890}'), called('{"n":12345678901234567891}')],
    ["the type of a value", called('{"n":1}'), called('{"n":"1"}')],
    ["a key with the value null", called('{"n":null}'), called("{}")],
    ["the shape of lists", called('{"n":[1,[2]]}'), called('{"n":[[1],2]}')],
    ["a zero at the end of a number", called('{"n":10}'), called('{"n":1}')],
    ["quotes that make arguments invalid JSON", called("{'a': 1}"), called('{"a": 1}')],
    ["white space in arguments that are not JSON", called("{a"), called("{a ")],
    ["a text that is not JSON and a JSON string that spells it", called('"x'), called(JSON.stringify('"x'))],
    ["the function's name", called("{}", "f"), called("{}", "g")],
    ["the function's name of arguments that are not JSON", called("{a", "f"), called("{a", "g")],
    ["the order of calls", callsAll(["f", "g"]), callsAll(["g", "f"])],
    ["a value in lists a hundred thousand levels deep", nestedArrays("1"), nestedArrays("2")],
    ["a value in objects a hundred thousand levels deep", nestedObjects("1"), nestedObjects("2")],
    ["the key __proto__", called('{"__proto__":{"a":1}}'), called("{}")],
    ["the value of the key constructor", called('{"constructor":1}'), called('{"constructor":2}')],
    [
      "the last zero of a megabyte",
      called(`{"n":1${"0".repeat(1 << 20)}}`),
      called(`{"n":1${"0".repeat((1 << 20) + 1)}}`),
    ],
  ])("have different canonical forms because of %s", (_, a, b) => {
    expect(canonicalForm(a)).not.toBe(canonicalForm(b));
  });
});

// A model to compare with: the meaning of a message as a value that vitest compares by structure.
const role = fc.constantFrom<Message["role"]>("system", "developer", "user", "assistant", "tool");
const text = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("", "a", '"', '["user","a"]', "a\n", "\\"));
const parts = fc.array(
  fc.oneof(
    text.map(written),
    fc.constantFrom("1", "2").map((digit) => image(digit)),
  ),
  {
    maxLength: 4,
  },
);
const content = fc.oneof(text, parts.map(toContent));
const message: fc.Arbitrary<Message> = fc.record(
  {
    role,
    content,
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

function toMeaning(value: Message): unknown {
  const calls = (value.toolCalls ?? []).map((call) => [call.name, parsed(call.arguments)]);
  return [value.role, toShown(value), calls, value.role === "tool" ? (value.toolCallId ?? "") : ""];
}

/** Returns the characters and images without white space at the end and, in answers, at the start. */
function toShown({ role, content }: Message): string[] {
  const items = listParts(content).flatMap((part) =>
    part.type === "text" ? Array.from(part.text) : [`image ${part.sha256}`],
  );
  const start = role === "assistant" ? items.findIndex((item) => item.trim() !== "") : 0;
  return items.slice(Math.max(start, 0), items.findLastIndex((item) => item.trim() !== "") + 1);
}

const isSame = (a: unknown, b: unknown): boolean => {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
};

it("gives two random messages the same canonical form exactly if their meaning is the same", () => {
  fc.assert(
    fc.property(message, message, (a, b) => {
      expect(canonicalForm(a) === canonicalForm(b)).toBe(isSame(toMeaning(a), toMeaning(b)));
    }),
    { numRuns: 2000 },
  );
});
