import type { AddedToken } from "./added-token.js";
import { LibraryTokenizer } from "./library.js";
import { type CacheStats, PieceCache } from "./piece-cache.js";
import { type Splitter, splitterFor } from "./splitter.js";

/** A Hugging Face tokenizer, as its files describe it. */
export interface TokenizerFiles {
  /** tokenizer.json. */
  readonly tokenizer: { readonly added_tokens: readonly AddedToken[]; readonly normalizer?: unknown };
  /** tokenizer_config.json. */
  readonly config: object;
}

/** Text that the vocabulary has no tokens for. */
export class TokenizerError extends Error {
  override readonly name = "TokenizerError";
  readonly code = "tokenizer_error";
}

/**
 * Text to token ids and back, exactly as Python's `tokenizers` without added special tokens: what the text does not
 * say is not in the ids. Text that spells a special token becomes that token, whoever wrote it, as in Python.
 */
export class Tokenizer {
  readonly #library: LibraryTokenizer;
  readonly #split: Splitter;
  readonly #cache: PieceCache;
  readonly #special: ReadonlySet<number>;
  readonly #added: ReadonlySet<string>;

  /** @param cacheBytes how much memory known pieces of text may take */
  constructor(files: TokenizerFiles, cacheBytes: number) {
    const { added_tokens: added, normalizer } = files.tokenizer;
    this.#library = new LibraryTokenizer(files.tokenizer, files.config);
    this.#split = splitterFor(added, normalizer);
    this.#cache = new PieceCache(cacheBytes);
    this.#special = new Set(added.filter((token) => token.special).map((token) => token.id));
    this.#added = new Set(added.map((token) => token.content));
  }

  get cacheStats(): CacheStats {
    return this.#cache.stats;
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
   *
   * @param after an added token that stands right before the text; its own id is not in the result
   */
  encode(text: string, after = ""): Int32Array[] {
    const wellFormed = text.toWellFormed();
    const pieces = this.#split(after + wellFormed);
    const encoded = pieces.map((piece) => this.#cache.get(piece, (missed) => this.#encodePiece(missed)));
    const [first, ...rest] = encoded;
    return (after === "" || first === undefined ? encoded : [first.subarray(1), ...rest]).filter(
      (ids) => ids.length > 0,
    );
  }

  /** The text of the ids. Ids that the vocabulary does not have are left out; half a character is U+FFFD. */
  decode(ids: Int32Array, { skipSpecialTokens }: { readonly skipSpecialTokens: boolean }): string {
    const shown = Array.from(ids).filter(
      (id) => this.tokenOf(id) !== undefined && !(skipSpecialTokens && this.#special.has(id)),
    );
    if (shown.length === 0) return "";
    return this.#library.decode(shown, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
  }

  #encodePiece(piece: string): Int32Array {
    const { ids } = this.#library.encode(piece, { add_special_tokens: false });
    const out = new Int32Array(ids.length);
    for (const [index, id] of ids.entries()) {
      if (id === undefined) throw new TokenizerError("the text has a character that the vocabulary has no token for");
      out[index] = id;
    }
    return out;
  }
}
