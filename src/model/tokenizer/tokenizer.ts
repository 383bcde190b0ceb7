import { eventLoop, LONG_TEXT } from "../../support/async/event-loop.js";
import { runInIterations } from "../../support/async/run-steps.js";
import { EncodeThreads } from "./encode-threads.js";
import {
  continuesText,
  type EncodedText,
  findCommonStart,
  joinText,
  type KnownTexts,
  type Pieces,
  sliceText,
} from "./encoded-text.js";
import { joinIds } from "./join-ids.js";
import { LibraryTokenizer } from "./library-tokenizer.js";
import { type CacheStats, PieceCache } from "./piece-cache.js";
import { createPieceEncoder, type PieceEncoder, type TokenizerFiles } from "./piece-encoder.js";
import { createSplitter, type Splitter } from "./splitter.js";
import { totalLength } from "./total-length.js";

// Characters that one call encodes on the event loop. Most texts take less than a millisecond, the worst a few.
const INLINE_LENGTH = 4096;

/** Number of pieces that are cut and looked up in one iteration of the event loop. This takes some milliseconds. */
const PIECES_PER_TURN = 2048;

/** Ids of pieces, by the key of the piece. */
type IdsByKey = ReadonlyMap<string, Int32Array>;

const NO_IDS = new Int32Array();

/**
 * Converts text to token ids and back, exactly like Python's `tokenizers` with `add_special_tokens=False`: no token is
 * added. Text that spells a special token becomes that token, even in user text, as in Python.
 */
export class Tokenizer {
  readonly #library: LibraryTokenizer;
  readonly #encoder: PieceEncoder;
  readonly #threads: EncodeThreads;
  readonly #split: Splitter;
  readonly #cache: PieceCache;
  /** Pieces that threads are encoding, by key. Other calls with the same piece wait for it. */
  readonly #pending = new Map<string, Promise<IdsByKey>>();
  readonly #special: ReadonlySet<number>;
  readonly #added: ReadonlySet<string>;
  /** Number of characters at the beginning of a text that decide with which added token it begins. */
  readonly #reach: number;

  /** @param cacheBytes limit of the cache of encoded pieces */
  constructor(files: TokenizerFiles, cacheBytes: number) {
    const { added_tokens: added, normalizer } = files.tokenizer;
    this.#library = new LibraryTokenizer(files.tokenizer, files.config);
    this.#encoder = createPieceEncoder(files, () => this.#library);
    this.#threads = new EncodeThreads(files);
    this.#split = createSplitter(added, normalizer);
    this.#cache = new PieceCache(cacheBytes);
    this.#special = new Set(added.filter((token) => token.special).map((token) => token.id));
    this.#added = new Set(added.map((token) => token.content));
    // One more, because a token may count only as a separate word.
    this.#reach = Math.max(0, ...added.map((token) => token.content.length)) + 1;
  }

  get cacheStats(): CacheStats {
    return this.#cache.stats;
  }

  /** Starts a thread for large texts, so the first large text does not wait for it. */
  warmUp(): void {
    this.#threads.warmUp();
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  findId(token: string): number | undefined {
    return this.#library.token_to_id(token);
  }

  /** Returns a token as the vocabulary spells it. Only for added tokens, this is also the token's text. */
  findToken(id: number): string | undefined {
    return this.#library.id_to_token(id);
  }

  /** Returns the added token with which a text begins; if several match, the longest. */
  addedTokenAt(text: string): string | undefined {
    let longest: string | undefined;
    for (const token of this.#added) {
      if (text.startsWith(token) && token.length > (longest?.length ?? 0)) longest = token;
    }
    return longest;
  }

  /**
   * Encodes a text and returns the ids in pieces to be concatenated. Pieces are shared with other calls: do not change them.
   *
   * Short new text is encoded immediately, long new text in other threads. On the event loop, a text costs its lookup in
   * the cache, about 1 ms for 1 MB.
   *
   * @param after an added token right before the text; the result does not contain its id
   * @throws TokenizerError if the text cannot be encoded
   */
  async encode(text: string, after = ""): Promise<Int32Array[]> {
    const { ids } = await this.#encodePieces(this.#split(after + text.toWellFormed()));
    const [first, ...rest] = ids;
    return (after === "" || first === undefined ? ids : [first.subarray(1), ...rest]).filter(
      (pieceIds) => pieceIds.length > 0,
    );
  }

  /**
   * Encodes a text in parts. Only the part that no known text begins with is looked up and encoded.
   *
   * @param known recently encoded texts; this text is added to them
   * @throws TokenizerError if the text cannot be encoded
   */
  async encodeParts(parts: readonly string[], known?: KnownTexts): Promise<EncodedText> {
    const start = known && findCommonStart(parts, known.items, this.#reach);
    const text = sliceText(parts, start?.characters ?? 0).toWellFormed();
    const pieces = await this.#encodePieces(this.#split(text));
    // Texts whose encoding ends at the same time would all be joined in one iteration of the event loop.
    if (text.length >= LONG_TEXT) await eventLoop.yield();
    const encoded = await runInIterations(joinText(parts, start, pieces));
    known?.add(encoded, start && continuesText(start) ? start.known : undefined);
    return encoded;
  }

  /** Cuts and encodes pieces in groups, each in a separate iteration of the event loop: a text can have tens of thousands of pieces. */
  async #encodePieces(pieces: Iterable<string>): Promise<Pieces> {
    const lengths: number[] = [];
    const groups: Promise<Int32Array[]>[] = [];
    for (const group of inGroups(pieces, PIECES_PER_TURN)) {
      for (const { length } of group) lengths.push(length);
      const encoding = this.#encodeGroup(group);
      // An error is thrown below. Until then, it must not count as unhandled.
      encoding.catch(() => undefined);
      groups.push(encoding);
      if (group.length === PIECES_PER_TURN) await eventLoop.yield();
    }
    const ids: Int32Array[] = [];
    for (const group of groups) for (const pieceIds of await group) ids.push(pieceIds);
    return { lengths, ids };
  }

  /** Returns the ids of each piece: from the cache, from a thread that is encoding it, or newly encoded. */
  async #encodeGroup(pieces: readonly string[]): Promise<Int32Array[]> {
    const keys: string[] = [];
    const known = new Map<string, Int32Array>();
    const awaited = new Map<string, Promise<IdsByKey>>();
    const missing = new Map<string, string>();
    for (const piece of pieces) {
      const key = this.#cache.hashPiece(piece);
      keys.push(key);
      const ids = this.#cache.get(key);
      const pending = this.#pending.get(key);
      if (ids !== undefined) known.set(key, ids);
      else if (pending !== undefined) awaited.set(key, pending);
      else missing.set(key, piece);
    }
    const isShort = totalLength([...missing.values()]) <= INLINE_LENGTH;
    if (isShort) for (const [key, piece] of missing) known.set(key, this.#encodeHere(key, piece));
    else {
      const encoding = this.#encodeApart(missing);
      for (const key of missing.keys()) awaited.set(key, encoding);
    }
    for (const [key, encoding] of awaited) known.set(key, (await encoding).get(key) ?? NO_IDS);
    return keys.map((key) => known.get(key) ?? NO_IDS);
  }

  /**
   * Cuts a text into slices of about `length` characters or more, whose concatenated ids are those of the whole text. Each slice
   * is cut when it is taken.
   */
  *slices(text: string, length: number): Iterable<string> {
    let slice = "";
    for (const piece of this.#split(text.toWellFormed())) {
      for (const part of this.#encoder.parts(piece, length)) {
        slice += part;
        if (slice.length < length) continue;
        yield slice;
        slice = "";
      }
    }
    if (slice !== "") yield slice;
  }

  /** Returns the text of the ids. Unknown ids are left out; an incomplete character becomes U+FFFD. */
  decode(ids: Int32Array, { skipSpecialTokens }: { readonly skipSpecialTokens: boolean }): string {
    const shown = Array.from(ids).filter(
      (id) => this.findToken(id) !== undefined && !(skipSpecialTokens && this.#special.has(id)),
    );
    if (shown.length === 0) return "";
    return this.#library.decode(shown, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  #encodeHere(key: string, piece: string): Int32Array {
    const ids = this.#encoder.encode(piece);
    this.#cache.set(key, ids);
    return ids;
  }

  /** Encodes pieces in threads. Until they are encoded, other calls wait for the same promise. */
  #encodeApart(missing: ReadonlyMap<string, string>): Promise<IdsByKey> {
    const encoding = this.#encodeInThreads(missing);
    for (const key of missing.keys()) this.#pending.set(key, encoding);
    const forget = () => {
      for (const key of missing.keys()) this.#pending.delete(key);
    };
    encoding.then(forget, forget);
    return encoding;
  }

  async #encodeInThreads(missing: ReadonlyMap<string, string>): Promise<IdsByKey> {
    const encoded = await encodeInBatches([...missing.values()], this.#encoder, (texts) => this.#threads.encode(texts));
    const ids = new Map([...missing.keys()].map((key, i) => [key, encoded[i] ?? NO_IDS]));
    for (const [key, pieceIds] of ids) this.#cache.set(key, pieceIds);
    return ids;
  }
}

/** Collects items in groups of at most `size`. */
function* inGroups<T>(items: Iterable<T>, size: number): Iterable<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Approximate number of characters of a batch. It takes a thread a few milliseconds. */
const BATCH_LENGTH = 1 << 16;

/** The part of a piece encoder that is needed here. */
interface PieceCutter {
  parts(piece: string, size: number): string[];
}

/**
 * Encodes pieces of text in batches of about the same size: large pieces in parts, small pieces together. Threads share the
 * work, and callers share the threads.
 *
 * @param encode encodes the texts of one batch
 * @returns the ids of each piece, in separate arrays
 */
async function encodeInBatches(
  pieces: readonly string[],
  cutter: PieceCutter,
  encode: (texts: readonly string[]) => Promise<Int32Array[]>,
): Promise<Int32Array[]> {
  const partsByPiece = pieces.map((piece) => cutter.parts(piece, BATCH_LENGTH));
  const encoded = (await Promise.all(makeBatches(partsByPiece.flat()).map(encode))).flat();
  let next = 0;
  // A copy even of a single part, which is a view of a whole batch and would keep it in memory.
  return partsByPiece.map(({ length }) => joinIds(encoded.slice(next, (next += length))));
}

function makeBatches(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    if (room < text.length) {
      batches.push([]);
      room = BATCH_LENGTH;
    }
    batches.at(-1)?.push(text);
    room -= text.length;
  }
  return batches;
}
