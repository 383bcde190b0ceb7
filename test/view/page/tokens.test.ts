import { describe, expect, it, onTestFinished } from "vitest";
import type { TokenChannel, TokenSlice } from "../../../src/view/api.js";
import { colouring, colouringChoices, cycleColouring } from "../../../src/view/page/tokens/colouring-choice.js";
import {
  columnClass,
  findChannel,
  listColourings,
  SURPRISE_BOUNDS,
  scaleOf,
  surpriseLevel,
  tokenClass,
} from "../../../src/view/page/tokens/colours.js";
import { firstDifference } from "../../../src/view/page/tokens/first-difference.js";
import {
  formatDifference,
  formatLogprob,
  formatProbability,
  formatValue,
  titleInSentence,
} from "../../../src/view/page/tokens/format-values.js";
import { describeImage, findRunInWindow, listRuns } from "../../../src/view/page/tokens/shown-run.js";
import { findToken, isOutput } from "../../../src/view/page/tokens/shown-token.js";
import { firstShown, type TokenWindow, withoutFirst } from "../../../src/view/page/tokens/token-window.js";

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

  it("repeats after six versions", () => {
    const token = { logprob: 0, trained: true, output: true };
    expect([5, 6, 0].map((version) => tokenClass({ ...token, version }, "version"))).toEqual([
      "tok version-5",
      "tok version-0",
      "tok version-0",
    ]);
  });

  it("is plain for prompt tokens", () => {
    const token = { logprob: 0, trained: false, version: -1, output: false };
    expect([tokenClass(token, "logprob"), tokenClass(token, "version")]).toEqual(["tok prompt", "tok prompt"]);
  });
});

const channel = (fields: Partial<TokenChannel>): TokenChannel => ({
  name: "scores",
  title: "scores",
  meaning: "",
  absence: "",
  values: "numbers",
  dtype: "F32",
  shape: [],
  of: "sequence",
  ragged: false,
  ...fields,
});

describe("the colour of a token by a channel", () => {
  const OUTPUT = { logprob: -1, output: true };
  const PROMPT = { logprob: 0, output: false };

  it("is chosen for channels that have one number per token", () => {
    const channels = [channel({ name: "experts", shape: [2, 2] }), channel({ column: [1] })];
    expect(listColourings(channels)).toEqual(["logprob", "mask", "version", "channel:scores"]);
    expect(findChannel(channels, "channel:scores")).toBe(channels[1]);
    expect(findChannel(channels, "channel:experts")).toBeUndefined();
    expect(findChannel(channels, "mask")).toBeUndefined();
  });

  it.each([
    [-1, "tok equal"],
    [-1.09, "tok equal"],
    [-0.5, "tok higher-2"],
    [-1.2, "tok lower-1"],
    [-3, "tok lower-4"],
    ["-Infinity", "tok lower-4"],
    ["NaN", "tok no-value"],
    [null, "tok no-value"],
    [undefined, "tok no-value"],
  ] as const)("shows that a score of %s differs from a recorded −1: %s", (score, expected) => {
    expect(columnClass(scaleOf(channel({ values: "logprobs" }), []), score, OUTPUT)).toBe(expected);
  });

  it("is plain for prompt tokens, which have nothing to compare a score with", () => {
    expect(columnClass(scaleOf(channel({ values: "logprobs" }), []), -3, PROMPT)).toBe("tok prompt");
  });

  it.each([
    [1, "tok size-0"],
    [4, "tok size-1"],
    [5, "tok size-2"],
    [257, "tok size-5"],
    [null, "tok no-value"],
  ] as const)("shows that a set has %s tokens: %s", (count, expected) => {
    const scale = scaleOf(channel({ ragged: true, values: "token_ids" }), []);
    expect(columnClass(scale, count, OUTPUT)).toBe(expected);
    expect(columnClass(scale, null, PROMPT)).toBe("tok prompt");
  });

  it("divides other numbers between the lowest and the highest of all slices", () => {
    const scale = scaleOf(channel({}), [[0, null, "NaN"], undefined, [6, "Infinity"]]);
    const classes = [0, 1, 1.5, 5.5, 6].map((value) => columnClass(scale, value, OUTPUT));
    expect(classes).toEqual(["tok size-0", "tok size-0", "tok size-1", "tok size-5", "tok size-5"]);
    expect(columnClass(scaleOf(channel({}), [[3, 3]]), 3, OUTPUT)).toBe("tok size-0");
  });
});

describe("values of tokens", () => {
  it("are shown with few digits and a real minus", () => {
    expect([-0.5, -Infinity, 0].map(formatLogprob)).toEqual(["−0.5000", "−∞", "0.0000"]);
    expect(titleInSentence({ title: "Teacher big" })).toBe("teacher big");
    expect([0, -1].map(formatProbability)).toEqual(["100%", "36.8%"]);
    expect([Infinity, Number.NaN, 0.004, -0.005].map(formatDifference)).toEqual(["+∞", "–", "0.00", "−0.01"]);
    expect([0.25, -1.504, -0.001, 0, -Infinity].map(formatDifference)).toEqual([
      "+0.25",
      "−1.50",
      "0.00",
      "0.00",
      "−∞",
    ]);
    expect([123456, -0.123456, 1e-7, Infinity].map(formatValue)).toEqual(["123456", "−0.1235", "1e−7", "+∞"]);
  });
});

describe("the tokens of images", () => {
  const image = { from: 2, count: 6, sha256: "", width: 1280, height: 720 };
  const sliceOf = (count: number): TokenSlice => ({
    total: 12,
    output_start: 12,
    ids: Array.from({ length: count }, () => 9),
    texts: null,
    logprobs: [],
    loss_mask: [],
    versions: [],
    temperature: 1,
    channels: [],
    images: [image],
  });
  const placesOf = (slice: TokenSlice, start: number) => listRuns(slice, start).map(({ from, end }) => [from, end]);

  it("are one run, between single tokens", () => {
    expect(placesOf(sliceOf(10), 0)).toEqual([
      [0, 1],
      [1, 2],
      [2, 8],
      [8, 9],
      [9, 10],
    ]);
  });

  it("are one run in each slice that has some of them", () => {
    const window: TokenWindow = { from: 1, slices: [sliceOf(4), sliceOf(4)] };
    expect(placesOf(sliceOf(4), 1)).toEqual([
      [1, 2],
      [2, 5],
    ]);
    expect(placesOf(sliceOf(4), 5)).toEqual([
      [5, 8],
      [8, 9],
    ]);
    expect([3, 5, 6, 8, 20].map((position) => findRunInWindow(window, position))).toMatchObject([
      { from: 2, end: 5, image },
      { from: 5, end: 8, image },
      { from: 5, end: 8, image },
      { from: 8, end: 9 },
      { from: 20, end: 21 },
    ]);
  });

  it("are described with their number, and with how many of them are shown", () => {
    expect(describeImage({ ...image, count: 1196 }, 1196)).toBe("image 1,280 × 720, 1,196 tokens");
    expect(describeImage({ ...image, count: 1196 }, 300)).toBe("image 1,280 × 720, 300 of 1,196 tokens");
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
    channels: [channel({ column: [5, null, 7, 8] }), channel({ name: "experts", shape: [2, 2] })],
    images: [],
  };

  it("begin shortly before the answer of a long prompt", () => {
    expect(firstShown({ ...slice, output_start: 5000 })).toBe(4936);
    expect(firstShown({ ...slice, output_start: 100 })).toBe(0);
  });

  it("are the whole prompt if it is at most two screens long", () => {
    expect([128, 129].map((output_start) => firstShown({ ...slice, output_start }))).toEqual([0, 65]);
  });

  it("are found by their positions", () => {
    const window: TokenWindow = { from: 6, slices: [slice, { ...slice, output_start: 11 }] };
    const places = [5, 6, 9, 10, 13, 14].map((position) => findToken(window, position)?.at ?? null);
    expect(places).toEqual([null, 0, 3, 0, 3, null]);
    expect(findToken(window, 10)?.slice).toBe(window.slices[1]);
    expect([10, 11].map((position) => isOutput({ slice: { ...slice, output_start: 11 }, at: 0, position }))).toEqual([
      false,
      true,
    ]);
  });

  it("have no texts without a tokenizer", () => {
    expect(withoutFirst({ ...slice, texts: null }, 2).texts).toBeNull();
  });

  it("keep all values of a token together", () => {
    expect(withoutFirst(slice, 2)).toEqual({
      ...slice,
      ids: [12, 13],
      texts: ["c", "d"],
      logprobs: [-2, -3],
      loss_mask: [1, 0],
      versions: [3, 4],
      channels: [channel({ column: [7, 8] }), channel({ name: "experts", shape: [2, 2] })],
    });
  });
});

it("goes from one colouring of the newest panel to the next, and from one that it lacks to the first", () => {
  const cycle = () => (cycleColouring(), colouring.value);
  onTestFinished(() => {
    colouring.value = "logprob";
    colouringChoices.value = listColourings([]);
  });
  colouringChoices.value = ["logprob", "mask", "channel:scores"];
  expect([colouring.value, cycle(), cycle(), cycle()]).toEqual(["logprob", "mask", "channel:scores", "logprob"]);
  colouring.value = "version";
  expect(cycle()).toBe("logprob");
  colouringChoices.value = [];
  colouring.value = "mask";
  expect(cycle()).toBe("logprob");
});
