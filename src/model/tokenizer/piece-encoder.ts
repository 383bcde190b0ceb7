import { CodedError } from "../../support/coded-error.js";
import { type AddedToken, isNormalized } from "./added-token.js";
import { ByteLevelBpe, byteLevelModelSchema } from "./bpe/byte-level.js";
import { type WordSplitter, wordSplitterFor } from "./bpe/word-splitter.js";
import { cutAtSpaces } from "./cut-at-spaces.js";
import { IdBuffer } from "./id-buffer.js";
import type { LibraryTokenizer } from "./library-tokenizer.js";
import { anyOf, isIdentity } from "./splitter.js";

/** A Hugging Face tokenizer, as its files describe it. */
export interface TokenizerFiles {
  /** tokenizer.json. */
  readonly tokenizer: {
    readonly added_tokens: readonly AddedToken[];
    readonly normalizer?: unknown;
    readonly pre_tokenizer?: unknown;
    readonly model?: unknown;
  };
  /** tokenizer_config.json. */
  readonly config: object;
}

/** Text that the vocabulary has no tokens for. */
export class TokenizerError extends CodedError<"tokenizer_error"> {
  override readonly name = "TokenizerError";

  constructor(message: string) {
    super("tokenizer_error", message);
  }
}

/** Encodes pieces of text as a `Splitter` makes them: an added token and what follows it, or a text without one. */
export interface PieceEncoder {
  encode(piece: string): Int32Array;
  /** The piece in parts of about `size` characters, which can be encoded on their own; in one where that is not exact. */
  parts(piece: string, size: number): string[];
}

/**
 * The fastest encoder for these files: our own byte-level BPE where the tokenizer is of that kind, the library for the
 * rest. Both give the same ids.
 *
 * @param library the library's tokenizer, which takes long to make and may not be needed
 */
export function pieceEncoderFor(files: TokenizerFiles, library: () => LibraryTokenizer): PieceEncoder {
  const slow = (piece: string): Int32Array => encodeByLibrary(library(), piece);
  const fast = fastParts(files);
  if (fast === undefined) return { encode: slow, parts: (piece) => [piece] };
  const { added_tokens: added, normalizer } = files.tokenizer;
  const { leading, demanding } = tokenPatterns(added, isIdentity(normalizer));
  const isPlain = (piece: string): boolean =>
    demanding === undefined || !(demanding.test(piece) || demanding.test(fast.normalize(piece)));
  return {
    encode: (piece) => (isPlain(piece) ? encodeByWords(fast, leading?.exec(piece)?.[0] ?? "", piece) : slow(piece)),
    parts: (piece, size) =>
      piece.length > size && fast.splitter.endsBeforeSpaces && isPlain(piece) ? cutAtSpaces(piece, size) : [piece],
  };
}

interface FastParts {
  readonly normalize: (text: string) => string;
  readonly splitter: WordSplitter;
  readonly bpe: ByteLevelBpe;
  readonly ids: ReadonlyMap<string, number>;
}

function fastParts({ tokenizer, config }: TokenizerFiles): FastParts | undefined {
  const normalize = normalizerFor(tokenizer.normalizer);
  const splitter = wordSplitterFor(tokenizer.pre_tokenizer);
  const model = byteLevelModelSchema.safeParse(tokenizer.model);
  if (normalize === undefined || splitter === undefined || !model.success || isRewriting(config)) return undefined;
  const bpe = ByteLevelBpe.from(model.data);
  const ids = new Map(tokenizer.added_tokens.map((token) => [token.content, token.id]));
  return bpe && { normalize, splitter, bpe, ids };
}

/** @param token the added token that the piece begins with; empty where there is none */
function encodeByWords({ normalize, splitter, bpe, ids }: FastParts, token: string, piece: string): Int32Array {
  const out = new IdBuffer();
  const id = ids.get(token);
  if (id !== undefined) out.push(Int32Array.of(id));
  for (const word of splitter.words(normalize(piece.slice(token.length)))) out.push(bpe.encode(word));
  return out.ids();
}

function encodeByLibrary(library: LibraryTokenizer, piece: string): Int32Array {
  const { ids } = library.encode(piece, { add_special_tokens: false });
  const out = new Int32Array(ids.length);
  for (const [index, id] of ids.entries()) {
    if (id === undefined) throw new TokenizerError("the text has a character that the vocabulary has no token for");
    out[index] = id;
  }
  return out;
}

function normalizerFor(normalizer: unknown): ((text: string) => string) | undefined {
  if (isIdentity(normalizer)) return (text) => text;
  const isNfc = typeof normalizer === "object" && normalizer !== null && "type" in normalizer;
  return isNfc && normalizer.type === "NFC" ? (text) => text.normalize("NFC") : undefined;
}

/** Settings by which the library changes a text before it encodes it. */
function isRewriting(config: object): boolean {
  return ["remove_space", "do_lowercase_and_remove_accent"].some((key) => Reflect.get(config, key) === true);
}

/**
 * `leading` finds the added token that a piece begins with. `demanding` finds tokens at which no cut is made, or which
 * take white space away: a piece that has one is left to the library.
 */
function tokenPatterns(added: readonly AddedToken[], isUnchanged: boolean) {
  const isDemanding = (token: AddedToken): boolean =>
    token.lstrip || token.rstrip || (isNormalized(token) && !isUnchanged);
  const simple = added.filter((token) => !isDemanding(token));
  const demanding = added.filter(isDemanding);
  return {
    leading: simple.length === 0 ? undefined : new RegExp(`^(?:${anyOf(simple)})`),
    demanding: demanding.length === 0 ? undefined : new RegExp(anyOf(demanding)),
  };
}
