import { expect, it } from "vitest";
import { measureLogprobs, type RecordedTokens, toLogprobs } from "../../src/protocols/logprobs.js";
import { measurePartLogprobs } from "../../src/protocols/output-parts.js";
import { TokenJson } from "../../src/protocols/token-json.js";
import { stringify } from "./support/to-text.js";

const tokenJson = new TokenJson({ tokenText: (id) => `"${id}é`, tokenBytes: (id) => Uint8Array.of(id, 200) });

/** A run of tokens with `width` alternatives each. The last place is not used. */
function createRun(count: number, width: number): RecordedTokens {
  const ids = Int32Array.from({ length: count * width }, (_, i) => (i % width === width - 1 ? -1 : i % 7));
  return {
    ids: Int32Array.from({ length: count }, (_, i) => i % 5),
    logprobs: Float32Array.from({ length: count }, (_, i) => -i / 8),
    top: width > 0 ? { width, ids, logprobs: new Float32Array(count * width).fill(-0.5) } : undefined,
    tokenJson,
  };
}

it("writes one entry per token, with its alternatives", () => {
  expect(JSON.parse(stringify(toLogprobs([createRun(1, 0), createRun(1, 3)])))).toEqual([
    { token: '"0é', logprob: 0, bytes: [0, 200], top_logprobs: [] },
    {
      token: '"0é',
      logprob: 0,
      bytes: [0, 200],
      top_logprobs: [
        { token: '"0é', logprob: -0.5, bytes: [0, 200] },
        { token: '"1é', logprob: -0.5, bytes: [1, 200] },
      ],
    },
  ]);
  expect(stringify(toLogprobs([]))).toBe("[]");
});

it("decodes a token once for all answers, until it remembers too many", () => {
  const decoded: number[] = [];
  const texts = { tokenText: (id: number) => `${decoded.push(id)}`, tokenBytes: () => new Uint8Array() };
  const remembering = new TokenJson(texts);
  const write = (ids: Int32Array) =>
    stringify(toLogprobs([{ ...createRun(ids.length, 0), ids, tokenJson: remembering }]));
  write(Int32Array.of(1, 2, 1));
  write(Int32Array.of(2));
  expect(decoded).toEqual([1, 2]);
  write(Int32Array.from({ length: 1 << 15 }, (_, i) => 10 + i));
  write(Int32Array.of(1));
  expect(decoded.at(-1)).toBe(1);
});

it("measures the memory of the tokens and their alternatives", () => {
  expect(measureLogprobs([createRun(1000, 20)])).toBeGreaterThan(1000 * 21 * 8);
  expect(measureLogprobs([])).toBe(0);
});

it("measures the log probabilities of the texts of an output", () => {
  const run = createRun(10, 2);
  const parts = [
    { type: "text", text: "a", logprobs: [run] },
    { type: "reasoning", text: "b" },
    { type: "text", text: "c" },
    { type: "text", text: "d", logprobs: [run, run] },
  ] as const;
  expect(measurePartLogprobs(parts)).toBe(3 * measureLogprobs([run]));
});
