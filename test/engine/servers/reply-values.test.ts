import { describe, expect, it } from "vitest";
import { markForced } from "../../../src/engine/servers/call/mark-forced.js";
import { abortError } from "../../../src/engine/servers/wire/errors.js";
import { jsonObject, positiveInteger, versionNumber } from "../../../src/engine/servers/wire/json.js";

/** How values in the replies of engine servers are read. */

describe("a value in a reply", () => {
  it("is read from a JSON object, and from nothing else", () => {
    expect(jsonObject('{"a":1}')).toEqual({ a: 1 });
    for (const text of ["", "{", "null"]) expect(jsonObject(text)).toEqual({});
  });

  it("is a length if it is a positive integer", () => {
    expect([1, 4096, 0, -1, 1.5, "5", null, undefined].map(positiveInteger)).toEqual([
      1,
      4096,
      ...Array<undefined>(6).fill(undefined),
    ]);
  });

  it("is a weight version if it is an integer or its text", () => {
    expect(["7", 7, "-1", 0].map(versionNumber)).toEqual([7, 7, -1, 0]);
    for (const value of ["v7", "7.5", 7.5, "", null, undefined, {}, ["7"]])
      expect(versionNumber(value)).toBeUndefined();
  });
});

describe("a generation that the engine aborted", () => {
  it("is an error with the engine's message, or without one", () => {
    expect(abortError("out of memory", 500, 3).message).toContain("out of memory");
    expect(abortError(undefined, 500, 3).message).not.toContain("undefined");
  });
});

describe("tokens that a thinking budget may have forced", () => {
  const reasoning = { begin: Int32Array.of(1), end: Int32Array.of(2) };

  function mark(
    logprobs: string | undefined,
    budgetStart: string,
    sampling: object = { thinkingBudget: 8 },
    hasMarkers = true,
  ) {
    const asked: object[] = [];
    const generation = { markForced: (_: unknown, rules: object) => asked.push(rules) === 0 };
    const content = { prompt: {}, generation, sampling, reasoning: hasMarkers ? reasoning : undefined };
    const isOpen = markForced(content as never, { logprobs, budgetStart } as never);
    return { isOpen, asked };
  }

  it.each([
    ["temperature", true],
    ["truncated", true],
    ["raw", false],
    [undefined, false],
  ])("are certain or not with log probabilities of kind %s: %s", (logprobs, isCertain) => {
    expect(mark(logprobs, "reasoning")).toEqual({
      isOpen: false,
      asked: [{ begin: reasoning.begin, end: reasoning.end, budget: 8, isCertain }],
    });
  });

  it("are counted from the first token by a server that does not look for the marker", () => {
    expect(mark("raw", "output").asked).toMatchObject([{ begin: undefined }]);
  });

  it("are none without a budget or without the markers", () => {
    expect(mark("raw", "output", {})).toEqual({ isOpen: true, asked: [] });
    expect(mark("raw", "output", { thinkingBudget: 8 }, false)).toEqual({ isOpen: true, asked: [] });
  });
});
