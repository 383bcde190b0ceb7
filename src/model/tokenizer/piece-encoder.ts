import { CodedError } from "../../support/coded-error.js";
import { type AddedToken, isNormalized } from "./added-token.js";
import { ByteLevelBpe, byteLevelModelSchema } from "./bpe/byte-level.js";
import { createWordSplitter, type WordSplitter } from "./bpe/word-splitter.js";
import { IdBuffer } from "./id-buffer.js";
import type { LibraryTokenizer } from "./library-tokenizer.js";
import { isIdentity, matchAny } from "./splitter.js";

/** The files of a Hugging Face tokenizer. */
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

/** Thrown if a text cannot be encoded: the vocabulary has no token for a character, or a part without a break is too long. */
export class TokenizerError extends CodedError<"tokenizer_error"> {
  override readonly name = "TokenizerError";

  constructor(message: string, options?: ErrorOptions) {
    super("tokenizer_error", message, options);
  }
}

/** Encodes pieces from a `Splitter`: an added token and the text after it, or a text without an added token. */
export interface PieceEncoder {
  encode(piece: string): Int32Array;
  /**
   * Cuts a piece into parts of about `size` characters that can be encoded one by one. Returns the whole piece if that
   * would not be exact.
   */
  parts(piece: string, size: number): string[];
}

/**
 * Creates the fastest encoder for these files: our own byte-level BPE if it supports the tokenizer, otherwise the library.
 * Both return the same ids.
 *
 * @param library returns the library's tokenizer, which takes long to create and may not be needed
 */
export function createPieceEncoder(files: TokenizerFiles, library: () => LibraryTokenizer): PieceEncoder {
  const slow = refuseTooLong((piece) => encodeByLibrary(library(), piece));
  const fast = findFastParts(files);
  if (fast === undefined) return { encode: slow, parts: (piece) => [piece] };
  const { added_tokens: added, normalizer } = files.tokenizer;
  const { leading, special } = buildTokenPatterns(added, isIdentity(normalizer));
  const isPlain = (piece: string): boolean =>
    special === undefined || !(special.test(piece) || special.test(fast.normalize(piece)));
  return {
    encode: refuseTooLong((piece) =>
      isPlain(piece) ? encodeByWords(fast, leading?.exec(piece)?.[0] ?? "", piece) : slow(piece),
    ),
    parts: (piece, size) =>
      piece.length > size && fast.splitter.endsBeforeSpaces && isPlain(piece) ? cutAtSpaces(piece, size) : [piece],
  };
}

/**
 * Returns an encoder that throws a TokenizerError if V8 throws a RangeError. A regular expression needs memory for each character
 * of a match, so it fails on a word of some million characters. The exact length depends on the pattern.
 */
function refuseTooLong(encode: (piece: string) => Int32Array): (piece: string) => Int32Array {
  return (piece) => {
    try {
      return encode(piece);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new TokenizerError(`a text of ${piece.length} characters has too few breaks, such as spaces`, { cause });
    }
  };
}

interface FastParts {
  readonly normalize: (text: string) => string;
  readonly splitter: WordSplitter;
  readonly bpe: ByteLevelBpe;
  readonly ids: ReadonlyMap<string, number>;
}

function findFastParts({ tokenizer, config }: TokenizerFiles): FastParts | undefined {
  const normalize = readNormalizer(tokenizer.normalizer);
  const splitter = createWordSplitter(tokenizer.pre_tokenizer);
  const model = byteLevelModelSchema.safeParse(tokenizer.model);
  if (normalize === undefined || splitter === undefined || !model.success || isRewriting(config)) return undefined;
  const bpe = ByteLevelBpe.from(model.data);
  const ids = new Map(tokenizer.added_tokens.map((token) => [token.content, token.id]));
  return bpe && { normalize, splitter, bpe, ids };
}

/** @param token the added token with which the piece begins; empty if there is none */
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
    if (id === undefined) throw new TokenizerError("the vocabulary has no token for a character of the text");
    out[index] = id;
  }
  return out;
}

function readNormalizer(normalizer: unknown): ((text: string) => string) | undefined {
  if (isIdentity(normalizer)) return (text) => text;
  const isNfc = typeof normalizer === "object" && normalizer !== null && "type" in normalizer;
  return isNfc && normalizer.type === "NFC" ? (text) => text.normalize("NFC") : undefined;
}

/** Returns true if the settings make the library change a text before it encodes it. */
function isRewriting(config: object): boolean {
  return ["remove_space", "do_lowercase_and_remove_accent"].some((key) => Reflect.get(config, key) === true);
}

/**
 * Returns two patterns. `leading` finds the added token with which a piece begins. `special` finds tokens that only the
 * library handles, because they remove white space or are found after normalization; it encodes pieces that contain one.
 */
function buildTokenPatterns(added: readonly AddedToken[], isUnchanged: boolean) {
  const needsLibrary = (token: AddedToken): boolean =>
    token.lstrip || token.rstrip || (isNormalized(token) && !isUnchanged);
  const simple = added.filter((token) => !needsLibrary(token));
  const special = added.filter(needsLibrary);
  return {
    leading: simple.length === 0 ? undefined : new RegExp(`^(?:${matchAny(simple)})`),
    special: special.length === 0 ? undefined : new RegExp(matchAny(special)),
  };
}

/**
 * Cuts a text into parts of about `size` characters. Each cut is between an ASCII letter and a space that another ASCII
 * letter follows; a part is longer if there is no such place.
 *
 * With a splitter whose words end before spaces, the ids of the parts together are the ids of the text: BPE does not
 * merge across words, and normalization changes neither side of the cut. A single space between letters belongs to no
 * longer run of white space, which the splitter would keep together.
 */
function cutAtSpaces(text: string, size: number): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = nextCut(text, size); at > 0; at = nextCut(text, start + size)) {
    parts.push(text.slice(start, at));
    start = at;
  }
  parts.push(text.slice(start));
  return parts;
}

/** Returns the first place for a cut from this position on; -1 if there is none. */
function nextCut(text: string, from: number): number {
  let at = text.indexOf(" ", Math.max(1, from));
  while (at > 0 && !(isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1)))) {
    at = text.indexOf(" ", at + 1);
  }
  return at;
}

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
