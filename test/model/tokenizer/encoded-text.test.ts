import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";
import type { EncodedText, KnownTexts } from "../../../src/model/tokenizer/encoded-text.js";
import { LibraryTokenizer } from "../../../src/model/tokenizer/library-tokenizer.js";
import type { TokenizerFiles } from "../../../src/model/tokenizer/piece-encoder.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { type AddedTokenSpec, byteLevelTokenizer, metaspaceTokenizer } from "../support/bpe.js";
import { joinIds } from "../support/model-folder.js";

const ADDED: AddedTokenSpec[] = [
  { content: "<|end|>" },
  { content: "<|start|>" },
  { content: "<|end|><|end|>" },
  { content: "<strip>", lstrip: true, rstrip: true },
  { content: "<norm>", special: false, normalized: true },
];

function files(json: ReturnType<typeof byteLevelTokenizer> | ReturnType<typeof metaspaceTokenizer>): TokenizerFiles {
  const added_tokens = json.added_tokens.map((token) => addedTokenSchema.parse(token));
  return { tokenizer: { ...json, added_tokens }, config: { clean_up_tokenization_spaces: true } };
}

/** Remembers encoded texts like a server. */
class RememberedTexts implements KnownTexts {
  items: EncodedText[] = [];

  add(text: EncodedText, replaced?: EncodedText): void {
    this.items = [text, ...this.items.filter((item) => item !== replaced)];
  }
}

// Few and similar parts, so texts share long beginnings and differ near cuts.
const part = fc
  .array(
    fc.constantFrom("<|end|>", "<|start|>", "<|en", "d|>", "<strip>", " ", "the ", "weather", "<norm>", "é\u0301"),
    {
      maxLength: 5,
    },
  )
  .map((pieces) => pieces.join(""));
const parts = fc.array(part, { maxLength: 8 });

/** Lists of texts, each of which begins with some parts of the previous one. */
const conversations = fc.array(fc.tuple(fc.nat({ max: 8 }), parts), { minLength: 1, maxLength: 6 }).map((steps) => {
  let last: readonly string[] = [];
  return steps.map(([kept, added]) => (last = [...last.slice(0, kept), ...added]));
});

describe.each([
  ["byte-level BPE with NFC", files(byteLevelTokenizer(ADDED))],
  ["byte-level BPE without normalizer", files(byteLevelTokenizer(ADDED, null))],
  ["BPE with a space before the first section", files(metaspaceTokenizer(ADDED))],
] as const)("%s, texts with a common beginning", (_, tokenizerFiles) => {
  const tokenizer = new Tokenizer(tokenizerFiles, 1 << 20);
  const library = new LibraryTokenizer(tokenizerFiles.tokenizer, tokenizerFiles.config);

  it("have the ids of the whole text, independent of known texts", async () => {
    await fc.assert(
      fc.asyncProperty(conversations, async (texts) => {
        const known = new RememberedTexts();
        for (const text of texts) {
          const whole = text.join("");
          const encoded = await tokenizer.encodeParts(text, known);
          expect(joinIds(encoded.idPieces)).toEqual(library.encode(whole, { add_special_tokens: false }).ids);
          expect(encoded.parts).toEqual(text);
          expect(encoded.characters).toBe(whole.length);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a text that continues a known one", () => {
  const tokenizer = new Tokenizer(files(byteLevelTokenizer(ADDED)), 1 << 20);
  const turn = (text: string) => `<|start|>${text}<|end|>`;

  it("is looked up only after the common beginning, and replaces the known text", async () => {
    const known = new RememberedTexts();
    const turns = Array.from({ length: 20 }, (_, i) => turn(`turn ${i}`));
    const first = await tokenizer.encodeParts(turns, known);
    const { hits, misses } = tokenizer.cacheStats;
    const next = await tokenizer.encodeParts([...turns, turn("one more")], known);
    expect(known.items).toEqual([next]);
    expect(next.parts[0]).toBe(first.parts[0]);
    // The last known turn is looked up again, because a longer token could begin at its end.
    expect(tokenizer.cacheStats.hits + tokenizer.cacheStats.misses - hits - misses).toBeLessThan(7);
  });

  it("shares its pieces of ids, which stay few, and has the ids of the whole text", async () => {
    const known = new RememberedTexts();
    let parts: string[] = [];
    let first: ArrayBufferLike | undefined;
    let copies = 0;
    for (let i = 0; i < 200; i++) {
      // Every 30th turn goes back some turns.
      parts = [...(i % 30 === 29 ? parts.slice(0, -7) : parts), turn(`turn ${i}`)];
      const { idPieces } = await tokenizer.encodeParts(parts, known);
      expect(joinIds(idPieces)).toEqual(joinIds(await tokenizer.encode(parts.join(""))));
      expect(idPieces.length).toBeLessThanOrEqual(64);
      if (idPieces[0]?.buffer !== first) copies++;
      first = idPieces[0]?.buffer;
    }
    // The first turn, and once in 64 turns.
    expect(copies).toBeLessThanOrEqual(1 + Math.ceil(200 / 64));
  });

  it("does not replace a text with which it only shares the beginning", async () => {
    const known = new RememberedTexts();
    await tokenizer.encodeParts([turn("system"), ...Array.from({ length: 9 }, (_, i) => turn(`a ${i}`))], known);
    await tokenizer.encodeParts([turn("system"), turn("another")], known);
    expect(known.items).toHaveLength(2);
  });
});
