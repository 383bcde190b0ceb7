import { EncodeThreads } from "./encode-threads.js";
import { commonStart, type EncodedText, goesOn, joined, type KnownTexts, textFrom } from "./encoded-text.js";
import { LibraryTokenizer } from "./library-tokenizer.js";
import { type CacheStats, PieceCache } from "./piece-cache.js";
import { type PieceEncoder, pieceEncoderFor, type TokenizerFiles } from "./piece-encoder.js";
import { type Splitter, splitterFor } from "./splitter.js";
import { encodeInBatches } from "./text-batch.js";
import { lengthOf } from "./total-length.js";

// Characters that one call encodes on the event loop: within a millisecond for most text, a few at worst.
const INLINE_LENGTH = 4096;

/**
 * Text to token ids and back, exactly as Python's `tokenizers` without added special tokens: what the text does not
 * say is not in the ids. Text that spells a special token becomes that token, whoever wrote it, as in Python.
 */
export class Tokenizer {
  readonly #library: LibraryTokenizer;
  readonly #encoder: PieceEncoder;
  readonly #threads: EncodeThreads;
  readonly #split: Splitter;
  readonly #cache: PieceCache;
  /** Pieces that threads are encoding, by their key: who needs one of them waits for it. */
  readonly #pending = new Map<string, Promise<Int32Array>>();
  readonly #special: ReadonlySet<number>;
  readonly #added: ReadonlySet<string>;
  /** How many characters behind its beginning may tell which added token a text begins with. */
  readonly #reach: number;

  /** @param cacheBytes how much memory known pieces of text may take */
  constructor(files: TokenizerFiles, cacheBytes: number) {
    const { added_tokens: added, normalizer } = files.tokenizer;
    this.#library = new LibraryTokenizer(files.tokenizer, files.config);
    this.#encoder = pieceEncoderFor(files, () => this.#library);
    this.#threads = new EncodeThreads(files);
    this.#split = splitterFor(added, normalizer);
    this.#cache = new PieceCache(cacheBytes);
    this.#special = new Set(added.filter((token) => token.special).map((token) => token.id));
    this.#added = new Set(added.map((token) => token.content));
    // One more: a token may be one only as a word of its own.
    this.#reach = Math.max(0, ...added.map((token) => token.content.length)) + 1;
  }

  get cacheStats(): CacheStats {
    return this.#cache.stats;
  }

  /** Starts a thread for large texts, so that the first of them does not wait for it. */
  warmUp(): void {
    this.#threads.warmUp();
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  idOf(token: string): number | undefined {
    return this.#library.token_to_id(token);
  }

  /** The token's own spelling; for a token that is not an added one this is not its text. */
  tokenOf(id: number): string | undefined {
    return this.#library.id_to_token(id);
  }

  /** The added token that a text begins with, the longest where several fit. */
  addedTokenAt(text: string): string | undefined {
    let longest: string | undefined;
    for (const token of this.#added) {
      if (text.startsWith(token) && token.length > (longest?.length ?? 0)) longest = token;
    }
    return longest;
  }

  /**
   * The ids of a text in pieces whose concatenation is the whole. Pieces are shared with other calls: read them only.
   * What is new is encoded at once where it is short, by other threads where it is long; on the event loop a text costs
   * its search in the cache, about 1 ms for 1 MB.
   *
   * @param after an added token that stands right before the text; its own id is not in the result
   * @throws TokenizerError
   */
  async encode(text: string, after = ""): Promise<Int32Array[]> {
    const encoded = await this.#idsOf(this.#split(after + text.toWellFormed()));
    const [first, ...rest] = encoded;
    return (after === "" || first === undefined ? encoded : [first.subarray(1), ...rest]).filter(
      (ids) => ids.length > 0,
    );
  }

  /**
   * The ids of a text that is given in parts, of which only what is new is searched for and encoded.
   *
   * @param known texts that this one may begin like, to which it is added
   * @throws TokenizerError
   */
  async encodeParts(parts: readonly string[], known?: KnownTexts): Promise<EncodedText> {
    const start = known && commonStart(parts, known.items, this.#reach);
    const pieces = this.#split(textFrom(parts, start?.characters ?? 0).toWellFormed());
    const encoded = joined(parts, start, { texts: pieces, ids: await this.#idsOf(pieces) });
    known?.add(encoded, start && goesOn(start) ? start.known : undefined);
    return encoded;
  }

  /** The ids of each piece. */
  async #idsOf(pieces: readonly string[]): Promise<Int32Array[]> {
    const keys = pieces.map((piece) => this.#cache.keyOf(piece));
    const known = new Map<string, Int32Array>();
    const awaited = new Map<string, Promise<Int32Array>>();
    const missing = new Map<string, string>();
    for (const [i, key] of keys.entries()) {
      const ids = this.#cache.get(key);
      const pending = this.#pending.get(key);
      if (ids !== undefined) known.set(key, ids);
      else if (pending !== undefined) awaited.set(key, pending);
      else missing.set(key, pieces[i] ?? "");
    }
    const isShort = lengthOf([...missing.values()]) <= INLINE_LENGTH;
    if (isShort) for (const [key, piece] of missing) known.set(key, this.#encodeHere(key, piece));
    else for (const [key, ids] of this.#encodeApart(missing)) awaited.set(key, ids);
    await Promise.all([...awaited].map(async ([key, ids]) => known.set(key, await ids)));
    return keys.map((key) => known.get(key) ?? new Int32Array());
  }

  /** The text in slices of about `length` characters or more: the ids of the slices, one after the other, are its own. */
  slices(text: string, length: number): string[] {
    const slices: string[] = [];
    for (const part of this.#split(text.toWellFormed()).flatMap((piece) => this.#encoder.parts(piece, length))) {
      const last = slices.at(-1);
      if (last === undefined || last.length >= length) slices.push(part);
      else slices[slices.length - 1] = last + part;
    }
    return slices;
  }

  /** The text of the ids. Ids that the vocabulary does not have are left out; half a character is U+FFFD. */
  decode(ids: Int32Array, { skipSpecialTokens }: { readonly skipSpecialTokens: boolean }): string {
    const shown = Array.from(ids).filter(
      (id) => this.tokenOf(id) !== undefined && !(skipSpecialTokens && this.#special.has(id)),
    );
    if (shown.length === 0) return "";
    return this.#library.decode(shown, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  #encodeHere(key: string, piece: string): Int32Array {
    const ids = this.#encoder.encode(piece);
    this.#cache.set(key, ids);
    return ids;
  }

  #encodeApart(missing: ReadonlyMap<string, string>): [string, Promise<Int32Array>][] {
    const all = encodeInBatches([...missing.values()], this.#encoder, (texts) => this.#threads.encode(texts));
    return [...missing.keys()].map((key, i) => {
      const ids = all.then((encoded) => encoded[i] ?? new Int32Array());
      this.#pending.set(key, ids);
      ids.then(
        (done) => {
          this.#pending.delete(key);
          this.#cache.set(key, done);
        },
        () => this.#pending.delete(key),
      );
      return [key, ids];
    });
  }
}
