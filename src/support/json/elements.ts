/**
 * Finds an array and its elements in the bytes of a JSON text without parsing it. Both functions take for granted that
 * the text is JSON: of any other they answer something, or nothing, and end.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Where an array that is a field of the text's object begins.
 *
 * @param names the first of the fields that has one of these names counts
 * @returns the offset behind the array's bracket; undefined where there is no such field, or it is no array
 */
export function arrayStart(json: Buffer, names: ReadonlySet<string>): number | undefined {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === QUOTE) {
      const end = stringEnd(json, at);
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
 * Where the elements of an array end that are objects or arrays themselves; others are passed over.
 *
 * @param from behind the array's bracket, or behind one of its elements
 */
export function elementEnds(json: Buffer, from: number): number[] {
  const ends: number[] = [];
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) break;
      depth--;
      if (depth === 0) ends.push(at + 1);
    }
  }
  return ends;
}

/** The offset behind the string that begins at a quote. */
function stringEnd(json: Buffer, quote: number): number {
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
