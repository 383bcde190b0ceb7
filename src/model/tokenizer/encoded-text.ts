import { lengthOf } from "./total-length.js";

/**
 * A text and its token ids, with the places where it may be cut: a text that begins as this one does, to behind such a
 * place, has the same ids up to there.
 */
export interface EncodedText {
  /** The text, in parts that others may have too: comparing them one by one needs no copy of the whole. */
  readonly parts: readonly string[];
  /** Length of the text, in UTF-16 units. */
  readonly characters: number;
  readonly ids: Int32Array;
  readonly cuts: readonly Cut[];
}

/** Texts that were encoded lately. */
export interface KnownTexts {
  readonly items: readonly EncodedText[];
  /** @param replaced one that the new text goes on from */
  add(text: EncodedText, replaced?: EncodedText): void;
}

/** A place right before an added token, in characters and in tokens from the start. */
interface Cut {
  readonly characters: number;
  readonly tokens: number;
}

/** Where a text stops to be as a known one. */
export interface CommonStart extends Cut {
  readonly known: EncodedText;
  /** How many of its cuts lie in what both begin with. */
  readonly cuts: number;
  /** How many of its parts the text has too. */
  readonly parts: number;
}

/** Whether a text goes on from the known one, and does not only begin alike. */
export function goesOn({ known, cuts }: CommonStart): boolean {
  return 2 * cuts >= known.cuts.length;
}

const EMPTY: EncodedText = { parts: [], characters: 0, ids: new Int32Array(), cuts: [] };
const NOTHING: CommonStart = { known: EMPTY, cuts: 0, parts: 0, characters: 0, tokens: 0 };

/**
 * The last cut up to which a text is as a known one, of the known one with which it shares most.
 *
 * @param parts of the text
 * @param reach characters behind a cut that must be the same too: they tell whether an added token begins there, and which
 */
export function commonStart(
  parts: readonly string[],
  known: readonly EncodedText[],
  reach: number,
): CommonStart | undefined {
  let best: CommonStart | undefined;
  for (const each of known) {
    const shared = sharedParts(parts, each.parts);
    const end = lengthOf(parts.slice(0, shared)) - reach;
    const cuts = each.cuts.findLastIndex(({ characters }) => characters <= end) + 1;
    const last = each.cuts[cuts - 1];
    if (last && last.characters > (best?.characters ?? 0)) best = { known: each, cuts, parts: shared, ...last };
  }
  return best;
}

function sharedParts(parts: readonly string[], known: readonly string[]): number {
  const different = parts.findIndex((part, i) => part !== known[i]);
  return different < 0 ? parts.length : different;
}

/** What of a text follows the first so many characters. */
export function textFrom(parts: readonly string[], characters: number): string {
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

/** Pieces of a text behind a common start, with the ids of each; all but the first begin with an added token. */
export interface Pieces {
  readonly texts: readonly string[];
  readonly ids: readonly Int32Array[];
}

/** The whole text of a start that is known and the pieces behind it. */
export function joined(parts: readonly string[], start: CommonStart | undefined, { texts, ids }: Pieces): EncodedText {
  const { known, cuts: shared, parts: sharedParts, characters, tokens } = start ?? NOTHING;
  const all = new Int32Array(tokens + lengthOf(ids));
  all.set(known.ids.subarray(0, tokens));
  const cuts = known.cuts.slice(0, shared);
  let cut: Cut = { characters, tokens };
  for (const [i, piece] of ids.entries()) {
    if (i > 0) cuts.push(cut);
    all.set(piece, cut.tokens);
    cut = { characters: cut.characters + (texts[i]?.length ?? 0), tokens: cut.tokens + piece.length };
  }
  // Shared parts are kept once.
  const kept = [...known.parts.slice(0, sharedParts), ...parts.slice(sharedParts)];
  return { parts: kept, characters: lengthOf(parts), ids: all, cuts };
}
