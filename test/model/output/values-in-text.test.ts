import { describe, expect, it } from "vitest";
import { JsonScanner } from "../../../src/model/output/reader/json-scanner.js";
import { parsePythonLiteral } from "../../../src/model/output/reader/python-literal.js";
import { numbers } from "./support/outputs.js";

/** Scans a text in random parts. Returns the scanner's state and how much of the text is a JSON value. */
function scan(text: string, next: (n: number) => number): string {
  const scanner = new JsonScanner();
  let at = 0;
  for (let from = 0; from < text.length && scanner.state === "open"; ) {
    const part = text.slice(from, from + 1 + next(5));
    const taken = scanner.scan(part);
    at = from + taken;
    from += part.length;
  }
  scanner.finish();
  return `${scanner.state} ${at}`;
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("JsonScanner", () => {
  it("accepts what JSON.parse accepts, in parts of any size", () => {
    const next = numbers(3);
    const pieces = [
      '{"a":',
      "[",
      "]",
      "}",
      ",",
      '"x"',
      '"\\u00e9\\n"',
      '"\\q"',
      "-1.5e+3",
      "01",
      "true",
      "nul",
      " ",
      "\n",
    ];
    const seen = { done: 0, broken: 0 };
    for (let round = 0; round < 20_000; round++) {
      const text = `[${Array.from({ length: next(5) }, () => pieces[next(pieces.length)]).join("")}]`;
      const result = scan(text, next);
      expect([text, result === `done ${text.length}`]).toEqual([text, isJson(text)]);
      seen[result.startsWith("done") ? "done" : "broken"]++;
    }
    expect(Math.min(seen.done, seen.broken)).toBeGreaterThan(100);
  });

  it("stops at the end of the value", () => {
    const next = numbers(4);
    for (const value of ['{"a": {}}', "[[]]", '"}"', "12", "null"]) {
      expect(scan(`${value};x`, next)).toBe(`done ${value.length}`);
    }
  });

  it("breaks at more than 128 levels", () => {
    const next = numbers(5);
    expect(scan("[".repeat(128) + "]".repeat(128), next)).toBe("done 256");
    expect(scan("[".repeat(129) + "]".repeat(129), next)).toBe("broken 128");
  });
});

describe("parsePythonLiteral", () => {
  it.each([
    ["'a'", '"a"'],
    ['"it\'s" \' "so"\'', '"it\'s \\"so\\""'],
    ["'''a\n'b''''", undefined],
    ["'''a\n'b'''", '"a\\n\'b"'],
    ['""', '""'],
    ["'\\x41\\u00e9\\U0001F600\\101\\q\\\n'", '"Aé😀A\\\\q"'],
    ["[1, (2,), {'a': None}, {}]", '[1, [2], {"a": null}, {}]'],
    ["{1: True, 'b': [False,]}", '{"1": true, "b": [false]}'],
    ["-0x1F", "-31"],
    ["1_000", "1000"],
    ["+1.", "1"],
    ["12345678901234567890", "12345678901234567890"],
    ["1.50e3", "1.50e3"],
    ["1e999", "1e999"],
    ["a", undefined],
    ["[1", undefined],
    ["1 2", undefined],
    ["'a\nb'", undefined],
    ["__import__('os')", undefined],
    ["", undefined],
  ])("converts %j to %j", (text, json) => {
    expect(parsePythonLiteral(text)).toBe(json);
  });

  it("returns undefined for endless nesting", () => {
    expect(parsePythonLiteral("[".repeat(100_000))).toBeUndefined();
  });

  it("takes linear time without a closing quote", () => {
    expect(parsePythonLiteral(`'${"a\\n".repeat(100_000)}`)).toBeUndefined();
    expect(parsePythonLiteral(`"""${'""\\'.repeat(100_000)}`)).toBeUndefined();
  });
});
