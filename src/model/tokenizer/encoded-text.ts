import type { Steps } from "../../support/async/steps.js";
import { joinIds } from "./join-ids.js";
import { totalLength } from "./total-length.js";

/**
 * A text with its token ids and with cuts. If another text begins with the same characters up to a cut and a little
 * further, it has the same ids up to that cut.
 */
export interface EncodedText {
  /** The text in parts. Texts are compared part by part, so no copy of the whole text is needed. */
  readonly parts: readonly string[];
  /** Length of the text, in UTF-16 units. */
  readonly characters: number;
  /** Token ids in pieces to be concatenated. A text that continues another one shares its pieces, so that only new ids take memory. */
  readonly idPieces: readonly Int32Array[];
  readonly cuts: readonly Cut[];
}

/** Texts that were encoded recently. */
export interface KnownTexts {
  readonly items: readonly EncodedText[];
  /** @param replaced an earlier text that the new one continues */
  add(text: EncodedText, replaced?: EncodedText): void;
}

/** A place right before an added token, in characters and in tokens from the start. */
interface Cut {
  readonly characters: number;
  readonly tokens: number;
}

/** The common beginning of a text and a known text, up to a cut. */
export interface CommonStart extends Cut {
  readonly known: EncodedText;
  /** Number of the known text's cuts in the common beginning. */
  readonly cuts: number;
  /** Number of the known text's parts that the text has too. */
  readonly parts: number;
}

/** Returns true if a text continues the known text, rather than only sharing its beginning: half of the cuts or more. */
export function continuesText({ known, cuts }: CommonStart): boolean {
  return 2 * cuts >= known.cuts.length;
}

const EMPTY: EncodedText = { parts: [], characters: 0, idPieces: [], cuts: [] };
const NOTHING: CommonStart = { known: EMPTY, cuts: 0, parts: 0, characters: 0, tokens: 0 };

/**
 * Finds the known text with the longest common beginning, and the last cut in it.
 *
 * @param parts the text
 * @param reach number of characters after a cut that must be equal too, because they decide which added token begins there
 */
export function findCommonStart(
  parts: readonly string[],
  known: readonly EncodedText[],
  reach: number,
): CommonStart | undefined {
  let best: CommonStart | undefined;
  for (const candidate of known) {
    let shared = 0;
    let end = -reach;
    for (; shared < parts.length && parts[shared] === candidate.parts[shared]; shared++) {
      end += parts[shared]?.length ?? 0;
    }
    const cuts = countCuts(candidate.cuts, end);
    const last = candidate.cuts[cuts - 1];
    if (!last || last.characters <= (best?.characters ?? 0)) continue;
    best = { known: candidate, cuts, parts: shared, characters: last.characters, tokens: last.tokens };
  }
  return best;
}

/** Returns the number of cuts in the first `characters` characters. The last cuts are searched first. */
function countCuts(cuts: readonly Cut[], characters: number): number {
  let count = cuts.length;
  while (count > 0 && (cuts[count - 1]?.characters ?? 0) > characters) count--;
  return count;
}

/** Returns a text without its first `characters` characters. */
export function sliceText(parts: readonly string[], characters: number): string {
  let before = 0;
  let first = 0;
  for (; first < parts.length; first++) {
    const length = parts[first]?.length ?? 0;
    if (before + length > characters) break;
    before += length;
  }
  return parts
    .slice(first)
    .join("")
    .slice(characters - before);
}

/** Number of pieces that are joined in one step. This takes a few milliseconds. */
const PIECES_PER_STEP = 1 << 14;

/** If a text has more pieces of ids, they are joined to one. */
const MAX_ID_PIECES = 64;

/** The pieces of a text after a common start, with their ids. All but the first begin with an added token. */
export interface Pieces {
  /** Number of characters of each piece. */
  readonly lengths: readonly number[];
  readonly ids: readonly Int32Array[];
}

/** Joins a known start and the encoded pieces after it to a whole text. */
export function* joinText(
  parts: readonly string[],
  start: CommonStart | undefined,
  { lengths, ids }: Pieces,
): Steps<EncodedText> {
  const { known, cuts: shared, parts: sharedParts, characters, tokens } = start ?? NOTHING;
  const added = new Int32Array(totalLength(ids));
  const cuts = known.cuts.slice(0, shared);
  let cut: Cut = { characters, tokens };
  for (const [i, piece] of ids.entries()) {
    if (i % PIECES_PER_STEP === PIECES_PER_STEP - 1) yield;
    if (i > 0) cuts.push(cut);
    added.set(piece, cut.tokens - tokens);
    cut = { characters: cut.characters + (lengths[i] ?? 0), tokens: cut.tokens + piece.length };
  }
  // Takes shared parts from the known text, so they are in memory only once.
  const joinedParts = [...known.parts.slice(0, sharedParts), ...parts.slice(sharedParts)];
  const idPieces = [...takeIds(known.idPieces, tokens), added];
  const fewPieces = idPieces.length > MAX_ID_PIECES ? [joinIds(idPieces)] : idPieces;
  return { parts: joinedParts, characters: totalLength(parts), idPieces: fewPieces, cuts };
}

/** Returns the first `count` ids, without a copy except of the beginning of a piece that is mostly dropped. */
function takeIds(pieces: readonly Int32Array[], count: number): Int32Array[] {
  const taken: Int32Array[] = [];
  let left = count;
  for (const piece of pieces) {
    if (left === 0) break;
    const length = Math.min(left, piece.length);
    // A view would keep the memory of the whole piece.
    taken.push(2 * length < piece.length ? piece.slice(0, length) : piece.subarray(0, length));
    left -= length;
  }
  return taken;
}
