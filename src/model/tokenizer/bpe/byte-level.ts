import { z } from "zod";
import { byteAlphabet } from "../../../support/byte-alphabet.js";
import { MergeTable } from "./merge-table.js";
import { mergeWord } from "./merge-word.js";

/** The `model` of a tokenizer.json with a byte-level BPE that needs nothing but its vocabulary and merges. */
export const byteLevelModelSchema = z.object({
  type: z.literal("BPE"),
  // Entries are looked at where they are used: zod takes longer for them than all the rest.
  vocab: z.custom<Readonly<Record<string, number>>>((value) => typeof value === "object" && value !== null),
  merges: z.custom<readonly (string | readonly [string, string])[]>(Array.isArray),
  dropout: z.literal(0).nullish(),
  unk_token: z.null().optional(),
  continuing_subword_prefix: z.literal("").nullish(),
  end_of_word_suffix: z.literal("").nullish(),
  byte_fallback: z.literal(false).optional(),
  ignore_merges: z.boolean().default(false),
});

export type ByteLevelModel = z.infer<typeof byteLevelModelSchema>;

// Longer words are rare, and a cached slice of a text keeps the whole text: the engine copies slices up to 12 units.
const MAX_CACHED_LENGTH = 12;
const MAX_CACHED_WORDS = 1 << 16;

/**
 * Words to token ids by byte-level BPE. What the libraries do with texts and objects is done here with numbers in typed
 * arrays; how long a word takes grows as n log n.
 */
export class ByteLevelBpe {
  readonly #bytes: Int32Array;
  readonly #table: MergeTable;
  /** Words that are tokens as they are, whatever the merges would make of them; in the spelling of the vocabulary. */
  readonly #whole: ReadonlyMap<string, number> | undefined;
  readonly #longestWhole: number;
  readonly #alphabet = byteAlphabet();
  readonly #cache = new Map<string, Int32Array>();
  readonly #scratch = scratchFor(MAX_KEPT_SCRATCH);

  /** Undefined where the vocabulary lacks a byte, or what a merge takes or makes. */
  static from(model: ByteLevelModel): ByteLevelBpe | undefined {
    const vocabulary = new Map(Object.entries(model.vocab));
    const bytes = byteAlphabet().map((character) => vocabulary.get(character));
    const merges = model.merges.map((merge) => {
      const [first = "", second = ""] = typeof merge === "string" ? merge.split(" ", 2) : merge;
      return { left: vocabulary.get(first), right: vocabulary.get(second), merged: vocabulary.get(first + second) };
    });
    if (!bytes.every(isId) || !merges.every(isComplete)) return undefined;
    return new ByteLevelBpe(bytes, new MergeTable(merges), model.ignore_merges ? vocabulary : undefined);
  }

  private constructor(bytes: readonly number[], table: MergeTable, whole: ReadonlyMap<string, number> | undefined) {
    this.#bytes = Int32Array.from(bytes);
    this.#table = table;
    this.#whole = whole;
    this.#longestWhole = [...(whole?.keys() ?? [])].reduce((longest, token) => Math.max(longest, token.length), 0);
  }

  /** The ids of a word. The array may be shared: read it only, and before the next call. */
  encode(word: string): Int32Array {
    const known = this.#cache.get(word);
    if (known !== undefined) return known;
    const ids = this.#merge(word);
    if (word.length > MAX_CACHED_LENGTH) return ids;
    if (this.#cache.size >= MAX_CACHED_WORDS) this.#cache.clear();
    const kept = ids.slice();
    this.#cache.set(word, kept);
    return kept;
  }

  #merge(word: string): Int32Array {
    const bytes = word.length * 3;
    const { text, ids } = bytes <= MAX_KEPT_SCRATCH ? this.#scratch : scratchFor(bytes);
    const { written } = ENCODER.encodeInto(word, text);
    const whole = written <= this.#longestWhole ? this.#whole?.get(this.#spelled(text, written)) : undefined;
    if (whole !== undefined) return Int32Array.of(whole);
    for (let i = 0; i < written; i++) ids[i] = this.#bytes[text[i] ?? 0] ?? 0;
    return ids.subarray(0, mergeWord(ids, written, this.#table));
  }

  #spelled(text: Uint8Array, length: number): string {
    let spelled = "";
    for (let i = 0; i < length; i++) spelled += this.#alphabet[text[i] ?? 0] ?? "";
    return spelled;
  }
}

const ENCODER = new TextEncoder();

// A word of this many bytes, and no longer one, finds its memory ready.
const MAX_KEPT_SCRATCH = 1 << 14;

const scratchFor = (bytes: number) => ({ text: new Uint8Array(bytes), ids: new Int32Array(bytes) });

const isId = (id: number | undefined): id is number => id !== undefined;

interface FoundMerge {
  readonly left: number | undefined;
  readonly right: number | undefined;
  readonly merged: number | undefined;
}

const isComplete = (merge: FoundMerge): merge is { left: number; right: number; merged: number } =>
  isId(merge.left) && isId(merge.right) && isId(merge.merged);
