import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  cutShared,
  findShared,
  isContinuation,
  type KnownBody,
  restoreShared,
  toKnown,
} from "../../src/server/memory/known-body.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { findArrayStart, findElementEnds, mayHaveField } from "../../src/support/json/elements.js";
import { countSteps } from "../helpers/iterations.js";

/** Reads a body like the server, and keeps it. */
function read(bytes: Buffer, known: KnownBody[]): { value: unknown; parsed: number } {
  const shared = findShared(bytes, known);
  const short = shared && cutShared(bytes, shared);
  const whole = short && restoreShared(JSON.parse(short.toString()), shared);
  const value = whole ?? JSON.parse(bytes.toString());
  const kept = runAtOnce(toKnown(bytes, value, whole && shared));
  if (kept) known.unshift(kept);
  return { value, parsed: whole && short ? short.length : bytes.length };
}

// Strings that look like JSON structure to a scanner that does not skip strings.
const text = fc
  .array(fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "messages", "é", "😀", " ", "\n", "\u0000"), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(""));
const element = fc.oneof(
  fc.record({ role: fc.constantFrom("user", "assistant"), content: text }),
  fc.record({ role: fc.constant("tool"), content: fc.array(fc.record({ type: fc.constant("text"), text })) }),
  fc.array(text, { maxLength: 2 }),
);
const other = fc.dictionary(fc.constantFrom("model", "tools", "messages ", "n", 'mes"sages'), fc.jsonValue());
const spaces = fc.constantFrom(undefined, 1);

const body = (name: string) =>
  fc.tuple(other, fc.array(element, { maxLength: 6 }), other, spaces).map(([before, elements, after, space]) => ({
    before,
    elements,
    json: (shown: readonly unknown[]) => JSON.stringify({ ...before, [name]: shown, ...after }, null, space),
  }));

describe("the elements of an array in JSON", () => {
  it("are found, whatever their strings hold", () => {
    fc.assert(
      fc.property(body("messages"), ({ elements, json }) => {
        const bytes = Buffer.from(json(elements));
        const start = findArrayStart(bytes, new Set(["messages"]));
        expect(start).toBeDefined();
        const ends = findElementEnds(bytes, start ?? 0);
        const texts = ends.map((end, i) => bytes.toString("utf8", ends[i - 1] ?? start, end).replace(/^[\s,]+/, ""));
        expect(texts.map((each): unknown => JSON.parse(each))).toEqual(elements);
      }),
    );
  });

  it.each(["{}", '{"messages":{}}', '[{"messages":[]}]', '{"a":{"messages":[]}}', '{"a":"messages"}', "", '{"'])(
    "are not found without an array of that name at the top: %s",
    (json) => expect(findArrayStart(Buffer.from(json), new Set(["messages"]))).toBeUndefined(),
  );

  it("are searched without an error in text that is not JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", "a")), (pieces) => {
        const bytes = Buffer.from(pieces.join(""));
        findArrayStart(bytes, new Set(["a"]));
        findElementEnds(bytes, 0);
      }),
    );
  });
});

describe("a second field of the same name", () => {
  const after = (rest: string): [Buffer, number] => {
    const start = '{"messages":[{}';
    return [Buffer.from(start + rest), start.length];
  };

  it.each([
    ['],"messages":[{}]}', true],
    [String.raw`],"mess\u0061ges":[{}]}`, true],
    ['],"a":{"messages":[{}]}}', false],
    [String.raw`],"a":"\"messages\":\u0061"}`, false],
    [',{"messages":1}]}', false],
    ["]}", false],
    [']}"messages":', false],
  ])("is noticed even if its name is spelled with an escape: %s", (rest, expected) => {
    const [bytes, end] = after(rest);
    expect(mayHaveField(bytes, "messages", end)).toBe(expected);
  });
});

describe("a body of many megabytes", () => {
  it("is searched once for its elements, whatever its strings contain", () => {
    const content = String.raw`\"`.repeat(100_000);
    const bytes = Buffer.from(`{"messages":[{"content":"${content}"}]}`);
    const indexOf = vi.spyOn(bytes, "indexOf");
    const start = findArrayStart(bytes, new Set(["messages"])) ?? 0;
    expect(findElementEnds(bytes, start)).toEqual([bytes.length - 2]);
    // Each search of a buffer has a fixed cost, which adds up if there is one for each escape.
    expect(indexOf.mock.calls.length).toBeLessThan(20);
  });

  it("is kept in several steps", () => {
    const json = JSON.stringify({ messages: [{ role: "user", content: "x" }] });
    const { result, count } = countSteps(toKnown(Buffer.from(json), JSON.parse(json)));
    expect(result?.elements).toHaveLength(1);
    expect(count).toBe(4);
  });

  it("is compared with a known body only a few times from end to end", () => {
    const known: KnownBody[] = [];
    const messages = Array.from({ length: 1000 }, (_, i) => ({ role: "user", content: `${i}`.repeat(100) }));
    read(Buffer.from(JSON.stringify({ messages })), known);
    const last = { role: "user", content: "other" };
    const next = Buffer.from(JSON.stringify({ messages: [...messages.slice(0, -1), last, last] }));
    let compared = 0;
    const compare = next.compare.bind(next);
    vi.spyOn(next, "compare").mockImplementation((target, from = 0, to = 0, ...rest) => {
      compared += to - from;
      return compare(target, from, to, ...rest);
    });
    expect(findShared(next, known)?.count).toBe(999);
    expect(compared).toBeLessThan(2.1 * next.length);
  });
});

describe("bodies of one session", () => {
  it.each(["messages", "input"])("are read as by JSON.parse, whatever earlier bodies are known (%s)", (name) => {
    const sequence = fc.tuple(body(name), fc.array(fc.tuple(fc.nat({ max: 6 }), fc.array(element), fc.boolean())));
    fc.assert(
      fc.property(sequence, ([{ json, elements }, steps]) => {
        const known: KnownBody[] = [];
        let shown: readonly unknown[] = elements;
        for (const [kept, added, changesTail] of [[6, [], false] as const, ...steps]) {
          shown = [...shown.slice(0, kept), ...added];
          const text = json(shown);
          const bytes = Buffer.from(changesTail ? text.replace(/\}$/, ',"late":1}') : text);
          expect(read(bytes, known).value).toEqual(JSON.parse(bytes.toString()));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are read as by JSON.parse if any byte differs from an earlier body", () => {
    const first = JSON.stringify({
      model: "m",
      messages: [{ content: 'a"b' }, { content: "é" }, { content: "c" }],
      n: 1,
    });
    fc.assert(
      fc.property(fc.nat({ max: first.length - 1 }), fc.constantFrom("x", '"', "]", "}", "0", "\\", ","), (at, put) => {
        const known: KnownBody[] = [];
        read(Buffer.from(first), known);
        const changed = Buffer.from(first.slice(0, at) + put + first.slice(at + 1));
        const outcome = (parse: () => unknown): unknown => {
          try {
            return parse();
          } catch (error) {
            return error instanceof SyntaxError ? "no JSON" : error;
          }
        };
        expect(outcome(() => read(changed, known).value)).toEqual(outcome(() => JSON.parse(changed.toString())));
      }),
      { numRuns: 1000 },
    );
  });

  it("are parsed only after the shared messages, whose objects are used again", () => {
    const known: KnownBody[] = [];
    const messages = Array.from({ length: 50 }, (_, i) => ({ role: "user", content: `${i}`.repeat(100) }));
    const send = (more: object[]) =>
      read(Buffer.from(JSON.stringify({ messages: [...messages, ...more], n: 1 })), known);
    const first = send([]).value as { messages: object[] };
    const { value, parsed } = send([{ role: "user", content: "new" }]);
    expect(parsed).toBeLessThan(150);
    expect((value as typeof first).messages[49]).toBe(first.messages[49]);
  });

  it.each([
    ['{"messages":[{"a":1}],"messages":[{"b":2}]}', '{"messages":[{"a":1},{"c":3}],"n":1}'],
    ['{"messages":[{"a":1}],"n":1}', '{"messages":[{"a":1},{"c":3}],"messages":[{"b":2}]}'],
    ['{"messages":[{"a":1}],"mess\\u0061ges":[{"b":2}]}', '{"messages":[{"a":1},{"c":3}]}'],
  ])("use the later one of two fields with the same name: %s, %s", (first, second) => {
    const known: KnownBody[] = [];
    for (const json of [first, second]) expect(read(Buffer.from(json), known).value).toEqual(JSON.parse(json));
  });

  it("continue another one, or only begin like it", () => {
    const known: KnownBody[] = [];
    const json = (texts: string[]) => Buffer.from(JSON.stringify({ input: texts.map((content) => ({ content })) }));
    read(json(["s", "a", "b", "c"]), known);
    const on = (texts: string[]) => {
      const shared = findShared(json(texts), known);
      return shared && isContinuation(shared);
    };
    expect(on(["s", "a", "b", "c", "d"])).toBe(true);
    expect(on(["s", "x"])).toBe(false);
    expect(on(["t"])).toBeUndefined();
  });
});

describe("a body with an image", () => {
  const long = "A".repeat(5000);
  const words = { role: "user", content: long };
  const url = `data:image/png;base64,${long}`;
  const bytesOf = (elements: readonly object[]) => Buffer.from(JSON.stringify({ messages: elements }));

  it.each([
    ["chat completions", { role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    ["a chat file", { role: "user", content: [{ type: "file", file: { file_data: url } }] }],
    ["responses", { role: "user", content: [{ type: "input_image", image_url: url }] }],
    ["a result of responses", { type: "function_call_output", output: [{ type: "input_image", image_url: url }] }],
    [
      "a result of messages",
      {
        role: "user",
        content: [{ type: "tool_result", content: [{ type: "image", source: { type: "base64", data: long } }] }],
      },
    ],
  ])("of %s is kept up to the element before it", (_, element) => {
    const known: KnownBody[] = [];
    read(bytesOf([words, element, words]), known);
    const kept = known[0];
    expect(kept?.elements).toEqual([words]);
    expect(kept?.bytes.toString()).toBe(`{"messages":[${JSON.stringify(words)}`);
    expect(kept?.bytes.buffer.byteLength).toBeLessThan(2 * long.length);
    const again = bytesOf([words, element, words, words]);
    expect(read(again, known).value).toEqual(JSON.parse(again.toString()));
  });

  it("is not kept if its first element has the image", () => {
    const known: KnownBody[] = [];
    read(bytesOf([{ role: "user", content: [{ type: "image_url", image_url: { url } }] }, words]), known);
    expect(known).toEqual([]);
  });

  it("is kept if the image is an address", () => {
    const known: KnownBody[] = [];
    const image = { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/i.png" } }] };
    read(bytesOf([image, words]), known);
    expect(known[0]?.elements).toHaveLength(2);
  });
});
