import { describe, expect, it } from "vitest";
import type { TokenSlice } from "../../../src/view/api.js";
import { SURPRISE_BOUNDS, surpriseLevel, tokenClass } from "../../../src/view/page/tokens/colours.js";
import { firstDifference } from "../../../src/view/page/tokens/first-difference.js";
import { firstShown, withoutFirst } from "../../../src/view/page/tokens/token-window.js";

describe("the colour of a token", () => {
  it.each([
    [0, 0],
    [-0.05, 0],
    [-0.0501, 1],
    [-8, 7],
    [-100, 8],
    [-Infinity, 8],
    [Number.NaN, 8],
    [0.1, 0],
  ])("log probability %s has level %s", (logprob, level) => {
    expect(surpriseLevel(logprob)).toBe(level);
    expect(level).toBeLessThanOrEqual(SURPRISE_BOUNDS.length);
  });

  it("depends on the chosen colouring", () => {
    const token = { logprob: -1.5, trained: true, version: 13, output: true };
    expect(tokenClass(token, "logprob")).toBe("tok surprise-4");
    expect(tokenClass(token, "mask")).toBe("tok mask-1");
    expect(tokenClass(token, "version")).toBe("tok version-1");
    expect(tokenClass({ ...token, trained: false }, "mask")).toBe("tok mask-0");
  });

  it("is plain for prompt tokens", () => {
    const token = { logprob: 0, trained: false, version: -1, output: false };
    expect([tokenClass(token, "logprob"), tokenClass(token, "version")]).toEqual(["tok prompt", "tok prompt"]);
  });
});

describe("the first difference", () => {
  const tokens = (...ids: number[]) => ids.map((id) => ({ id, text: null }));

  it("is the first token whose id differs", () => {
    expect(firstDifference(tokens(1, 2, 3), tokens(1, 2, 4))).toBe(2);
  });

  it("is the end of the shorter side if the other begins with it", () => {
    expect(firstDifference(tokens(1, 2), tokens(1, 2, 3))).toBe(2);
  });
});

describe("the tokens that are shown first", () => {
  const slice: TokenSlice = {
    total: 4,
    output_start: 1,
    ids: [10, 11, 12, 13],
    texts: ["a", "b", "c", "d"],
    logprobs: [0, -1, -2, -3],
    loss_mask: [0, 1, 1, 0],
    versions: [-1, 3, 3, 4],
    temperature: 1,
    channels: [],
  };

  it("begin shortly before the answer of a long prompt", () => {
    expect(firstShown({ ...slice, output_start: 5000 })).toBe(4936);
    expect(firstShown({ ...slice, output_start: 100 })).toBe(0);
  });

  it("keep all values of a token together", () => {
    expect(withoutFirst(slice, 2)).toEqual({
      ...slice,
      ids: [12, 13],
      texts: ["c", "d"],
      logprobs: [-2, -3],
      loss_mask: [1, 0],
      versions: [3, 4],
    });
  });
});
