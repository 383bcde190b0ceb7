import { describe, expect, it } from "vitest";
import { Vocabulary } from "../../../src/model/output/detokenizer/vocabulary.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import {
  differentTexts,
  PUBLISHED_TOKENIZERS,
  publishedTokenizerFiles,
  publishedTokens,
  type Tokenized,
} from "../support/published-tokenizers.js";
import { CORPUS } from "../tokenizer/corpus.js";
import { tokenizeAll } from "../tokenizer/tokenize-all.js";
import { chunks, collectMessage, numbers, PLAIN, read } from "./support/outputs.js";

describe("outputs in published vocabularies", { timeout: 120_000 }, () => {
  it.each(PUBLISHED_TOKENIZERS)(
    "%s: decode like Python without special tokens, in pushes of any size",
    async (name) => {
      const files = publishedTokenizerFiles(name);
      const tokenizer = new Tokenizer(files, 1 << 24);
      const text = { vocabulary: new Vocabulary(files.tokenizer, tokenizer) };
      const next = numbers(1);
      const told = (await tokenizeAll(tokenizer, CORPUS)).map(([ids, decoded]): Tokenized => {
        return [ids, decoded, collectMessage(read(text, PLAIN, chunks(ids, next), {}).told.flat()).content];
      });
      expect(differentTexts(CORPUS, told, publishedTokens(name).digests)).toEqual([]);
    },
  );
});
