import { types } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { readFieldTexts } from "../../../src/support/json/field-texts.js";
import {
  keepSpelling,
  mayLoseSpelling,
  parseSpelled,
  SpelledNumber,
  stringifySpelled,
} from "../../../src/support/json/spelled.js";

const parse = (text: string): unknown => runAtOnce(parseSpelled(text));

describe("parseSpelled", () => {
  it("returns the same as JSON.parse if that loses no spelling", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!mayLoseSpelling(JSON.parse(text)));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("keeps the spelling and the value of every number", () => {
    for (const text of ["1", "-1", "0.5", "1.0", "1e5", "-0", "1E-7", "12345678901234567890", "1e400"]) {
      const value = parse(`[${text}]`) as [number | SpelledNumber];
      const [number] = value;
      expect(number instanceof SpelledNumber ? number.text : String(number)).toBe(text);
      expect(Number(number)).toBe(Number(text));
      expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(`[${text}]`)));
    }
  });

  it("lists keys in the order of the text, with every way to list them", () => {
    const value = parse('{"b":1,"2":{"1":0,"0":1},"1":3}') as object;
    expect(Object.keys(value)).toEqual(["b", "2", "1"]);
    expect(JSON.stringify({ value })).toBe('{"value":{"b":1,"2":{"1":0,"0":1},"1":3}}');
    expect(Object.entries(value)).toHaveLength(3);
    // A Proxy is slow, so only objects that need one are one.
    expect([value, parse('{"b":1,"01":2}')].map((each) => types.isProxy(each))).toEqual([true, false]);
  });

  it("makes two spellings of a number differ with keepSpelling", () => {
    const text = (json: string): string => JSON.stringify(parse(json), keepSpelling);
    expect(text("[12345678901234567890]")).not.toBe(text("[12345678901234567891]"));
    expect(text("[1.0]")).not.toBe(text("[1]"));
    expect(text('[1,"a"]')).toBe('[1,"a"]');
  });
});

describe("mayLoseSpelling", () => {
  it.each<[unknown, boolean]>([
    [{ a: "x", b: [null, "y", true, {}], c: null }, false],
    ["text", false],
    [null, false],
    [[], false],
    [5, true],
    [["a", 5], true],
    [{ a: { b: 5 } }, true],
    [{ a: [{ 1: "x" }] }, true],
    [{ a: [["x"]] }, false],
  ])("%j: %s", (value, loses) => {
    expect(mayLoseSpelling(value)).toBe(loses);
  });
});

describe("stringifySpelled", () => {
  it("writes what was parsed, in the same spelling, without white space", () => {
    for (const text of ["1.0", '{"b":[1e5,"\\n",null,true],"1":{}}', "[]", '"a"', "12345678901234567890"]) {
      expect(stringifySpelled(parse(text))).toBe(text);
    }
    expect(stringifySpelled(parse(' [ 1.50 , {"a" : -0} ] '))).toBe('[1.50,{"a":-0}]');
  });

  it("leaves out undefined fields", () => {
    expect(stringifySpelled({ a: undefined, b: 1 })).toBe('{"b":1}');
  });
});

describe("readFieldTexts", () => {
  const entry = fc.tuple(
    fc.constantFrom("tools", "a", 'b"', "\\", "messages"),
    fc.oneof(fc.json(), fc.constantFrom('"[{\\"tools\\": 1}]"', ' {"tools": [1]} ', '"\\\\"', "[]", "{}", "1.0")),
  );

  it("returns the fields of the object itself, the later of two with one name", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), fc.constantFrom("", " ", "\n"), (entries, space) => {
        const members = entries.map(([name, text]) => `${space}${JSON.stringify(name)}${space}:${text}${space}`);
        const json = `${space}{${members.join(",")}}${space}`;
        const names = new Set(["tools", "a"]);
        const expected = entries
          .filter(([name]) => names.has(name))
          .map(([name, text]) => [name, text.trim()] as const);
        expect(Object.fromEntries(readFieldTexts(json, names))).toEqual(Object.fromEntries(expected));
      }),
      { numRuns: 2000 },
    );
  });
});
