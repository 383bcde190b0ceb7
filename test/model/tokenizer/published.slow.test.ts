import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LibraryTokenizer } from "../../../src/model/tokenizer/library-tokenizer.js";
import { createPieceEncoder } from "../../../src/model/tokenizer/piece-encoder.js";
import { matchAny } from "../../../src/model/tokenizer/splitter.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import {
  differentTexts,
  PUBLISHED_TOKENIZERS,
  publishedTokenizerFiles,
  publishedTokens,
} from "../support/published-tokenizers.js";
import { CORPUS, SAMPLES } from "./corpus.js";
import { tokenizeAll } from "./tokenize-all.js";

describe("published tokenizers", { timeout: 120_000 }, () => {
  it.each(PUBLISHED_TOKENIZERS)(
    "%s encodes and decodes like Python (`npm run test:tokens` shows differences)",
    async (name) => {
      const { samples, digests } = publishedTokens(name);
      const tokenized = await tokenizeAll(new Tokenizer(publishedTokenizerFiles(name), 1 << 24), CORPUS);
      expect(tokenized.slice(0, SAMPLES.length).map(([ids]) => ids)).toEqual(samples);
      expect(differentTexts(CORPUS, tokenized, digests)).toEqual([]);
    },
  );
});

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[ a-zA-Z]{0,20}$/) },
  fc.constantFrom(
    "\n",
    "\r\n",
    " \n ",
    "   ",
    "'s",
    "'LL",
    "1234",
    "1 2",
    "\u6771\u4eac",
    "\u0301",
    "_",
    "//",
    "\ufeff",
    "\u0085",
  ),
  fc.string({ maxLength: 5 }),
  fc.string({ unit: "grapheme", maxLength: 3 }),
);
const text = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join("").toWellFormed());

describe("our own BPE", { timeout: 120_000 }, () => {
  it.each(PUBLISHED_TOKENIZERS)("encodes for %s like the library, in one piece and in parts", (name) => {
    const files = publishedTokenizerFiles(name);
    const library = new LibraryTokenizer(files.tokenizer, files.config);
    const encoder = createPieceEncoder(files, () => {
      throw new Error("the library was asked");
    });
    const whole = (piece: string) => library.encode(piece, { add_special_tokens: false }).ids;
    const added = new RegExp(matchAny(files.tokenizer.added_tokens));
    const plain = text.filter((value) => !added.test(value));
    fc.assert(
      fc.property(plain, fc.integer({ min: 1, max: 8 }), (value, size) => {
        const ids = whole(value);
        expect([...encoder.encode(value)]).toEqual(ids);
        expect(encoder.parts(value, size).flatMap((part) => [...encoder.encode(part)])).toEqual(ids);
      }),
      { numRuns: 3000 },
    );
    const words = "the weather in Paris is fine ".repeat(40);
    expect(encoder.parts(words, 100).length).toBeGreaterThan(8);
    for (const long of [
      "a".repeat(5000),
      "\u6771\u4eac\u6f22\u5b57".repeat(500),
      " ".repeat(3000),
      "ab1".repeat(999),
    ]) {
      expect([...encoder.encode(long)]).toEqual(whole(long));
    }
  });
});
