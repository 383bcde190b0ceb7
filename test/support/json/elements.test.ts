import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findArrayStart, findElementEnds, findString, mayHaveField } from "../../../src/support/json/elements.js";
import { readFieldTexts } from "../../../src/support/json/field-texts.js";

const find = (json: string, ...names: string[]) => findArrayStart(Buffer.from(json), new Set(names));

describe("the array of a field", () => {
  it.each<[string, number | undefined]>([
    ['{"messages":[1]}', 13],
    ['{"a":{"messages":[1]},"messages" : \n [1]}', 38],
    ['{"a":"\\"messages\\":[","messages":[]}', 34],
    ['{"messages":{"a":[]}}', undefined],
    ['{"messages":"["}', undefined],
    ['{"a":["messages",[1]]}', undefined],
    ['{"a":"messages","b":[1]}', undefined],
    ["{}", undefined],
    ["", undefined],
    ['{"messages"', undefined],
  ])("of %s begins at %s", (json, at) => {
    expect(find(json, "messages", "input")).toBe(at);
  });

  it("is that of the first field with one of the names", () => {
    expect(find('{"input":[1],"messages":[2]}', "messages", "input")).toBe(10);
  });
});

describe("the ends of elements", () => {
  it("are those of objects and lists, whatever they contain", () => {
    const json = Buffer.from('[1, {"a":"]}\\""}, "x", [[{}]], null, {}]}');
    const ends = findElementEnds(json, 1);
    expect(ends.map((end) => json.toString("utf8", 0, end))).toEqual([
      '[1, {"a":"]}\\""}',
      '[1, {"a":"]}\\""}, "x", [[{}]]',
      '[1, {"a":"]}\\""}, "x", [[{}]], null, {}',
    ]);
    expect(findElementEnds(json, ends[0] ?? 0)).toEqual(ends.slice(1));
  });

  it("cut a list of any values into the JSON of its elements", () => {
    const elements = fc.array(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())));
    fc.assert(
      fc.property(elements, fc.constantFrom(undefined, 2), (values, space) => {
        const json = Buffer.from(JSON.stringify({ list: values }, null, space));
        const start = findArrayStart(json, new Set(["list"])) ?? -1;
        const ends = findElementEnds(json, start);
        const texts = ends.map((end, index) => json.toString("utf8", ends[index - 1] ?? start, end));
        expect(texts.map((text) => JSON.parse(text.replace(/^\s*,/, "")) as unknown)).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
      }),
    );
  });

  it("end with a text that is cut off", () => {
    expect(findElementEnds(Buffer.from('[{"a":1},{"b"'), 1)).toEqual([8]);
    expect(findElementEnds(Buffer.from('["a'), 1)).toEqual([]);
  });
});

describe("strings with escapes", () => {
  /** After an escape, 64 bytes are read one by one. */
  const string = fc
    .array(fc.constantFrom('"', "\\", "]", "y", ...[62, 63, 64, 65].map((length) => "x".repeat(length))), {
      maxLength: 8,
    })
    .map((pieces) => pieces.join(""));

  it("end at their closing quotes", () => {
    fc.assert(
      fc.property(string, string, (first, second) => {
        const object = { [`${first}.`]: [first], second };
        const json = JSON.stringify(object);
        expect(Object.fromEntries(readFieldTexts(json, new Set(["second"])))).toEqual({
          second: JSON.stringify(second),
        });
        const bytes = Buffer.from(JSON.stringify([[first], second, [first]]));
        const ends = findElementEnds(bytes, 1);
        expect(ends.at(-1)).toBe(bytes.length - 1);
        expect(ends[0]).toBe(1 + JSON.stringify([first]).length);
        expect(ends).toHaveLength(2);
        const plain = Buffer.from(JSON.stringify({ a: first, second, b: first }));
        const { start, end } = findString(plain, "second") ?? {};
        expect(JSON.parse(plain.toString("utf8", start, end))).toBe(second);
      }),
      { numRuns: 500 },
    );
  });

  it("end with a text that is cut off", () => {
    for (const text of ['{"a\\', '{"a\\"', '{"a\\"b', `{"a\\"${"b".repeat(64)}`, `{"a\\"${"b".repeat(65)}`]) {
      expect(findString(Buffer.from(text), "a")).toBeUndefined();
      expect(findElementEnds(Buffer.from(text), 0)).toEqual([]);
      // Any result will do, as the text is no JSON.
      expect(readFieldTexts(text, new Set(["a"])).size).toBeLessThanOrEqual(1);
    }
  });
});

describe("a field behind an element", () => {
  const json = Buffer.from('{"a":[{"x":1},{"y":2}],"z":{"q":0},"\\u0062":1}');
  const from = json.indexOf(",{");

  it("may be there if its name is, or a name with an escape", () => {
    expect(mayHaveField(json, "z", from)).toBe(true);
    // "\u0062" is "b", and may be any name.
    expect(mayHaveField(json, "other", from)).toBe(true);
  });

  it("is not there if only inner objects or earlier fields have its name", () => {
    const plain = Buffer.from('{"a":[{"x":1},{"y":2}],"z":{"q":0}}');
    for (const name of ["a", "x", "y", "q"]) expect(mayHaveField(plain, name, from)).toBe(false);
  });
});
