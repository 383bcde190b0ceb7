/**
 * Finds an array and its elements in the bytes of a JSON text without parsing it. Both functions assume that the text
 * is JSON. For any other text they terminate, but the result is meaningless.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Finds the first field of the text's object that has one of these names.
 *
 * @returns the offset after the opening bracket of its array; undefined if there is no such field or it has no array
 */
export function findArrayStart(json: Buffer, names: ReadonlySet<string>): number | undefined {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === QUOTE) {
      const end = findStringEnd(json, at);
      const next = skipSpace(json, end);
      if (depth === 1 && json[next] === COLON && names.has(json.toString("latin1", at + 1, end - 1))) {
        const value = skipSpace(json, next + 1);
        return json[value] === OPEN_BRACKET ? value + 1 : undefined;
      }
      at = end - 1;
    }
  }
  return undefined;
}

/**
 * Returns the offsets after those elements of an array that are objects or arrays. Other elements are skipped.
 *
 * @param from offset after the array's opening bracket, or after one of its elements
 */
export function findElementEnds(json: Buffer, from: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = findStringEnd(json, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) break;
      depth--;
      if (depth === 0) ends.push(at + 1);
    }
  }
  return ends;
}

/** Returns the offset after the string that begins at a quote. */
function findStringEnd(json: Buffer, quote: number): number {
  for (let at = quote + 1; ; at++) {
    at = json.indexOf(QUOTE, at);
    if (at < 0) return json.length;
    let before = at - 1;
    while (json[before] === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at + 1;
  }
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return at;
}
