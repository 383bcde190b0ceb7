/**
 * Cuts a text into parts of about this many characters, each cut between an ASCII letter and a space with another
 * letter behind it. A part is longer where no such place comes.
 */
export function cutAtSpaces(text: string, size: number): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = nextCut(text, size); at > 0; at = nextCut(text, start + size)) {
    parts.push(text.slice(start, at));
    start = at;
  }
  parts.push(text.slice(start));
  return parts;
}

/** The first place for a cut from this position on; -1 where there is none. */
function nextCut(text: string, from: number): number {
  let at = text.indexOf(" ", Math.max(1, from));
  while (at > 0 && !(isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1)))) {
    at = text.indexOf(" ", at + 1);
  }
  return at;
}

const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
