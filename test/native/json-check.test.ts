import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { JsonLimits } from "../../src/native/contract.js";

const WIDE: JsonLimits = { depth: 127, values: 1e6, keys: 1e6, lists: {} };

const find = (json: string, limits: Partial<JsonLimits> = {}) =>
  new native.JsonCheck({ ...WIDE, ...limits }).findExcess(Buffer.from(json));

describe("JsonCheck", () => {
  it("names the limit, what it allows and the list", () => {
    expect(find("[[1]]", { depth: 1 })).toEqual({ limit: "depth", allowed: 1 });
    expect(find('["1","2"]', { values: 2 })).toEqual({ limit: "values", allowed: 2 });
    expect(find('{"a":1,"b":2}', { keys: 1 })).toEqual({ limit: "keys", allowed: 1 });
    const lists = { tools: 1, messages: 2 };
    expect(find('{"messages":[1,2],"tools":[1,2]}', { lists })).toEqual({ limit: "items", allowed: 1, list: "tools" });
  });

  it("finds keys that could change an object's prototype, however they are spelled, but not in arguments", () => {
    const excess = { limit: "prototype", allowed: 0 };
    expect(find('{"a":[{"__proto__":null}]}')).toEqual(excess);
    expect(find(String.raw`{"__pr\u006fto__":1}`)).toEqual(excess);
    expect(find('{"constructor":{"name":1,"prototype":1}}')).toEqual(excess);
    const harmless = ['{"a":"__proto__"}', '{"constructor":1,"prototype":1}', '{"arguments":"{\\"__proto__\\":1}"}'];
    for (const json of harmless) expect(find(json)).toBeUndefined();
  });

  it("finds a key or a number that is too long, but no string", () => {
    const excess = { limit: "word", allowed: 65_536 };
    const most = "1".repeat(excess.allowed);
    expect(find(`{"${most}":${most},"a":"${most}1","arguments":"${most}1"}`)).toBeUndefined();
    expect(find(`{"${most}1":1}`)).toEqual(excess);
    expect(find(`[-${most}]`)).toEqual(excess);
  });

  it("returns the same from a worker thread", async () => {
    const json = Buffer.from(`{"messages":[${"1,".repeat(1000)}1]}`);
    expect(await new native.JsonCheck(WIDE).findExcessAsync(json)).toBeUndefined();
    const lists = { messages: 1000 };
    const excess = { limit: "items", allowed: 1000, list: "messages" };
    expect(await new native.JsonCheck({ ...WIDE, lists }).findExcessAsync(json)).toEqual(excess);
  });

  it("counts numbers in arrays as parts of a value: eighths of token ids, halves of log probabilities", () => {
    expect(find("[1,2,-345678,4.5,5,6,7,8]", { values: 2 })).toBeUndefined();
    expect(find("[1,2,-345678,4.5,5,6,7,8,9]", { values: 2 })).toEqual({ limit: "values", allowed: 2 });
    expect(find("[-0.123456,1.2345678]", { values: 2 })).toBeUndefined();
    expect(find("[-0.123456,1.2345678,1]", { values: 2 })).toEqual({ limit: "values", allowed: 2 });
    expect(find('{"a":1,"b":2}', { values: 2 })).toEqual({ limit: "values", allowed: 2 });
  });

  it("leaves a text that is not JSON to the parser", () => {
    for (const text of ["", "{", "[1,", '{"a"}', "nul", "[1] 2"]) expect(find(text, {})).toBeUndefined();
  });

  it("refuses limits that are not whole numbers of their range", () => {
    for (const limits of [{ depth: 0 }, { depth: 128 }, { values: -1 }, { keys: 1.5 }, { lists: { a: Number.NaN } }]) {
      expect(() => find("1", limits)).toThrow(expect.objectContaining({ code: "ERR_INVALID_ARG" }));
    }
  });

  /** Without keys that could change a prototype, which are an excess of their own, and without nested JSON in `arguments`. */
  const harmlessJson = fc.json({ maxDepth: 6 }).filter((json) => !/__proto__|constructor|arguments/.test(json));

  it("counts what JSON.parse builds", () => {
    fc.assert(
      fc.property(harmlessJson, (json) => {
        const { values: exactValues, depth, keys } = measure(JSON.parse(json));
        const values = Math.ceil(exactValues);
        const exact = { values, depth: Math.max(1, depth), keys };
        expect(find(json, exact)).toBeUndefined();
        expect(find(json, { ...exact, values: values - 1 })).toEqual({ limit: "values", allowed: values - 1 });
        const tooDeep = depth > 1 ? { limit: "depth", allowed: depth - 1 } : undefined;
        expect(find(json, { depth: Math.max(1, depth - 1) })).toEqual(tooDeep);
        const tooManyKeys = keys > 0 ? { limit: "keys", allowed: keys - 1 } : undefined;
        expect(find(json, { keys: Math.max(0, keys - 1) })).toEqual(tooManyKeys);
      }),
    );
  });

  // If the scan stopped early in a text that JSON.parse accepts, the rest of the text could exceed every limit.
  it("scans every text that JSON.parse accepts to its end", () => {
    const pieces = [
      '"',
      "\\",
      "u00e9",
      "\\ud800",
      "n",
      "1",
      "-",
      "e",
      ".",
      "0",
      "[",
      "]",
      "{",
      "}",
      ",",
      ":",
      " ",
      "\n",
      "é",
    ];
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), fc.boolean(), (parts, isString) => {
        const text = parts.join("");
        const json = `{"before":${isString ? `"${text}"` : `[${text}]`},"list":[1,2]}`;
        if (!isJson(json)) return;
        accepted++;
        expect(find(json, { lists: { list: 1 } })).toEqual({ limit: "items", allowed: 1, list: "list" });
      }),
      { numRuns: 20_000 },
    );
    expect(accepted).toBeGreaterThan(1000);
  });
});

/** Counts like the scan, but on the parsed value, where a repeated key counts once. `fc.json` repeats no key. */
function measure(value: unknown): { values: number; depth: number; keys: number } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0, keys: 0 };
  const inner = Object.values(value).map((each: unknown) => {
    if (!Array.isArray(value) || typeof each !== "number") return measure(each);
    return { values: JSON.stringify(each).length <= 8 ? 1 / 8 : 1 / 2, depth: 0, keys: 0 };
  });
  const keys = Array.isArray(value) ? 0 : inner.length;
  return {
    values: inner.reduce((sum, each) => sum + each.values, 1),
    depth: inner.reduce((most, each) => Math.max(most, each.depth), 0) + 1,
    keys: inner.reduce((most, each) => Math.max(most, each.keys), keys),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
