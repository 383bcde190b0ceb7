/**
 * The texts of fields of a JSON object, as they are spelled. Strings are passed over without being read, so that a
 * large body takes little time.
 *
 * @param json an object that `JSON.parse` has read: nothing is checked again
 * @param names names without characters that JSON may escape
 * @returns the text of each field that is there, of a field that comes twice the later
 */
export function fieldTexts(json: string, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let at = json.indexOf("{") + 1;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start < 0) return found;
    const end = stringEnd(json, start);
    const name = json.slice(start + 1, end - 1);
    const value = json.indexOf(":", end) + 1;
    at = valueEnd(json, value);
    if (names.has(name)) found.set(name, json.slice(value, at).trim());
    if (json[at] !== ",") return found;
  }
}

/** Behind the closing quote of the string that begins at `start`. */
function stringEnd(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end < 0 ? json.length : end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

const END = /["{}[\],]/g;
// Inside of a value commas mean nothing, and long lists have many.
const BRACKET = /["{}[\]]/g;

/** Where the value that begins at `start` ends: at the comma or the bracket behind it. */
function valueEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const structure = depth === 0 ? END : BRACKET;
    structure.lastIndex = at;
    const match = structure.exec(json);
    if (match === null) return json.length;
    const c = match[0];
    at = c === '"' ? stringEnd(json, match.index) : match.index + 1;
    if (c === "{" || c === "[") depth++;
    else if (c !== '"' && depth-- === 0) return match.index;
  }
}
