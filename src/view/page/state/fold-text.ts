const FOLDED_LINES = 24;
const FOLDED_CHARACTERS = 2000;
/** Number of characters that a click adds. A browser lays out this many without a noticeable pause. */
const PART_CHARACTERS = 50_000;

export interface TextFold {
  readonly shown: string;
  readonly hiddenLines: number;
  readonly hiddenCharacters: number;
}

/** Returns the beginning of a text: about a screen if `parts` is 0, else that many parts. A text that is at most 10% longer is returned whole. */
export function foldText(text: string, parts: number): TextFold {
  const end = parts > 0 ? parts * PART_CHARACTERS : foldedEnd(text);
  const hidden = text.length - end;
  if (hidden <= end / 10) return { shown: text, hiddenLines: 0, hiddenCharacters: 0 };
  // A surrogate pair is not split.
  const cut = isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end;
  return {
    shown: text.slice(0, cut),
    hiddenLines: countLines(text, cut),
    hiddenCharacters: text.length - cut,
  };
}

function foldedEnd(text: string): number {
  let at = -1;
  for (let line = 0; line < FOLDED_LINES; line++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0 || at > FOLDED_CHARACTERS) return Math.min(text.length, FOLDED_CHARACTERS);
  }
  return at;
}

function countLines(text: string, from: number): number {
  let lines = 1;
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
