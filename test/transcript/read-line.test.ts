import { describe, expect, it } from "vitest";
import { z } from "zod";
import { parseLine, readBytes } from "../../src/transcript/read-line.js";

const parse = (text: string) => parseLine(Buffer.from(text), 7, z.unknown());

describe("parseLine", () => {
  it.each([
    ["lists", `${"[".repeat(256)}${"]".repeat(256)}`, `${"[".repeat(257)}${"]".repeat(257)}`],
    ["objects", `${'{"a":'.repeat(256)}1${"}".repeat(256)}`, `${'{"a":'.repeat(257)}1${"}".repeat(257)}`],
  ])("refuses %s that are nested deeper than 256 levels", (_, deepest, deeper) => {
    expect(parse(deepest)).toEqual(JSON.parse(deepest));
    expect(() => parse(deeper)).toThrow("The line at byte 7 cannot be read: it is nested deeper than 256 levels.");
  });

  it("counts levels that are open, and no brackets inside of texts", () => {
    const values = [`[${"[],{},".repeat(300)}0]`, `["${"[{".repeat(300)}"]`, `["\\"${"[".repeat(300)}\\\\","x"]`];
    for (const text of values) expect(parse(text)).toEqual(JSON.parse(text));
    expect(() => parse(`["\\\\",${"[".repeat(300)}`)).toThrow("nested deeper");
  });

  it("refuses more than two million values", () => {
    const list = (count: number) => `[${"0,".repeat(count - 2)}0]`;
    expect(parse(list(2_000_000))).toHaveLength(1_999_999);
    expect(() => parse(list(2_000_002))).toThrow("it has more than 2000000 values");
  });

  it.each([
    ["{", "it is not JSON"],
    ['"open', "it is not JSON"],
    ['"open\\"', "it is not JSON"],
  ])("refuses %s", (text, reason) => {
    expect(() => parse(text)).toThrow(reason);
  });

  it("names the field that is invalid", () => {
    const schema = z.object({ a: z.object({ b: z.number() }) });
    expect(() => parseLine(Buffer.from('{"a":{"b":"x"}}'), 0, schema)).toThrow(/byte 0 .* `a\.b`: .*expected number/);
  });

  it("returns what the faster check accepts as it is, and the schema's value otherwise", () => {
    const schema = z.object({ a: z.number() });
    const isValid = (value: unknown): value is { a: number } => Object.keys(value as object).length === 2;
    expect(parseLine(Buffer.from('{"a":1,"b":2}'), 0, schema, isValid)).toEqual({ a: 1, b: 2 });
    expect(parseLine(Buffer.from('{"a":1,"b":2,"c":3}'), 0, schema, isValid)).toEqual({ a: 1 });
  });
});

it("reads as many bytes as there are, in several reads", async () => {
  const content = Buffer.from("abcdefgh");
  const file = {
    read: async (into: Uint8Array, offset: number, length: number, position: number) => {
      const bytesRead = content.subarray(position, position + Math.min(3, length)).copy(into, offset);
      return { bytesRead };
    },
  } as unknown as Parameters<typeof readBytes>[0];
  expect((await readBytes(file, 1, 5)).toString()).toBe("bcdef");
  expect((await readBytes(file, 4, 100)).toString()).toBe("efgh");
  expect(await readBytes(file, 100, 5)).toHaveLength(0);
});
