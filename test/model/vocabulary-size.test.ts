import { expect, it } from "vitest";
import { readVocabularySize } from "../../src/model/vocabulary-size.js";

const tokenizer = (vocab: unknown, added: number[] = []) => ({
  model: { vocab },
  added_tokens: added.map((id) => ({
    id,
    content: `<${id}>`,
    special: true,
    lstrip: false,
    rstrip: false,
    normalized: false,
    single_word: false,
  })),
});

it.each([
  ["the model's, which is rounded up", { vocab_size: 64 }, { a: 0, b: 1 }, [2], 64],
  ["that of the language model beside images", { text_config: { vocab_size: 64 } }, { a: 0 }, [], 64],
  ["the tokenizer's without config.json", {}, { a: 0, b: 7 }, [], 8],
  ["the tokenizer's with its added tokens", { vocab_size: 2 }, { a: 0 }, [9], 10],
  [
    "that of a list of tokens",
    {},
    [
      ["a", 0],
      ["b", 0],
    ],
    [],
    2,
  ],
] as const)("the vocabulary's size is %s", (_name, config, vocab, added, size) => {
  expect(readVocabularySize({ config, tokenizer: tokenizer(vocab, [...added]) })).toBe(size);
});
