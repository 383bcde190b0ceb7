import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Merge, MergeTable } from "../../../../src/model/tokenizer/bpe/merge-table.js";
import { mergeWord } from "../../../../src/model/tokenizer/bpe/merge-word.js";

/** BPE by its definition: applies the first possible merge of the list at its leftmost place, repeatedly. */
function model(word: readonly number[], merges: readonly Merge[]): number[] {
  const ids = [...word];
  for (;;) {
    const pairs = ids.slice(1).map((right, i) => merges.findLastIndex((m) => m.left === ids[i] && m.right === right));
    const ranks = pairs.filter((rank) => rank >= 0);
    if (ranks.length === 0) return ids;
    const rank = Math.min(...ranks);
    ids.splice(pairs.indexOf(rank), 2, merges[rank]?.merged ?? -1);
  }
}

const merged = (word: readonly number[], merges: readonly Merge[]): number[] => {
  const ids = Int32Array.from(word);
  return [...ids.subarray(0, mergeWord(ids, ids.length, new MergeTable(merges)))];
};

const id = fc.nat({ max: 6 });
const merges = fc.array(fc.record({ left: id, right: id, merged: id }), { maxLength: 20 });

describe("mergeWord", () => {
  it("equals a plain BPE for short words", () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 48 }), merges, (word, list) => {
        expect(merged(word, list)).toEqual(model(word, list));
      }),
      { numRuns: 2000 },
    );
  });

  it("equals a plain BPE for long words", () => {
    fc.assert(
      fc.property(fc.array(id, { minLength: 49, maxLength: 200 }), merges, (word, list) => {
        expect(merged(word, list)).toEqual(model(word, list));
      }),
      { numRuns: 1000 },
    );
  });

  it("equals a plain BPE for long words of one character", () => {
    const doubling = Array.from({ length: 5 }, (_, i) => ({ left: i, right: i, merged: i + 1 }));
    for (const length of [49, 64, 99, 1000]) {
      const word = Array.from({ length }, () => 0);
      expect(merged(word, doubling)).toEqual(model(word, doubling));
    }
  });

  it("does not change a word without merges", () => {
    expect(merged([], [])).toEqual([]);
    expect(merged([1, 2, 3], [])).toEqual([1, 2, 3]);
  });
});
