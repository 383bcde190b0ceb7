import { describe, expect, it } from "vitest";
import { assertSerializable } from "../../../src/rollout/subproc/serializable.js";

/** Which values can be sent to another process as they are. */

const refusal = (value: unknown, wire?: "clone" | "json"): string => {
  try {
    assertSerializable(value, "data", wire);
    return "sent";
  } catch (error) {
    return (error as Error).message.replace(", which cannot be sent to another process.", "");
  }
};

class Point {
  readonly x = 1;
}

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

const plain = { a: [1, "b", null, true, undefined], "c d": { e: -0.5 } };
const special = [new Map([[1, "a"]]), new Set([1]), new Date(0), /a/, new Error("a"), new Uint8Array(1), 10n, cyclic];

describe("a value for a worker process", () => {
  it("may be plain, or of the types that a structured clone keeps", () => {
    expect(refusal(plain)).toBe("sent");
    for (const value of special) expect(refusal({ value })).toBe("sent");
    expect(refusal(Number.NaN)).toBe("sent");
  });

  it.each<[string, unknown, string]>([
    ["a function", { tools: [{ call: () => 1 }] }, "data.tools[0].call is a function"],
    ["a symbol", [Symbol("a")], "data[0] is a symbol"],
    ["an instance of a class", { "a b": new Point() }, 'data["a b"] is an instance of Point'],
    ["a promise", { a: Promise.resolve() }, "data.a is an instance of Promise"],
    ["a proxy", { a: new Proxy({}, {}) }, "data.a is a Proxy"],
    ["shared memory", { a: new SharedArrayBuffer(1) }, "data.a is shared memory"],
    ["a function in a map", new Map([["k", () => 1]]), "data.values()[0] is a function"],
    ["a function as a key", new Map([[() => 1, 1]]), "data.keys()[0] is a function"],
    ["a function in a set", new Set([() => 1]), "data.values()[0] is a function"],
    [
      "a getter that throws",
      Object.defineProperty({}, "a", {
        enumerable: true,
        get() {
          throw new Error("no");
        },
      }),
      "data.a is a getter that throws (no)",
    ],
  ])("may not have %s, which is named", (_, value, message) => {
    expect(refusal(value)).toBe(message);
  });
});

describe("a value for a program, as JSON", () => {
  it("may be plain", () => {
    expect(refusal(plain, "json")).toBe("sent");
    const twice = { a: 1 };
    expect(refusal([twice, twice], "json")).toBe("sent");
  });

  it.each<[string, unknown, string]>([
    ["a bigint", { a: 10n }, "data.a is a bigint"],
    ["a number that is not finite", { a: Number.NaN }, "data.a is NaN"],
    ["a map", { a: new Map() }, "data.a is an instance of Map"],
    ["a date", [new Date(0)], "data[0] is an instance of Date"],
    ["itself", cyclic, "data.self is a part of itself"],
  ])("may not have %s", (_, value, message) => {
    expect(refusal(value, "json")).toBe(message);
  });
});
