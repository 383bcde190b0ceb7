/**
 * Returns the JSON texts of some fields of an object, exactly as they are spelled. Strings are skipped without being
 * decoded, so that a large body takes little time.
 *
 * @param json an object that `JSON.parse` accepts; its syntax is not checked again
 * @param names names without characters that JSON may escape
 * @returns the text of each field that exists; of a field that occurs twice, the later text
 */
export function readFieldTexts(json: string, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  for (;;) {
    const start = json.indexOf('"', at);
    if (start < 0) return found;
    const end = findStringEnd(json, start);
    const name = json.slice(start + 1, end - 1);
    const value = json.indexOf(":", end) + 1;
    at = findValueEnd(json, value);
    if (names.has(name)) found.set(name, json.slice(value, at).trim());
    if (json[at] !== ",") return found;
  }
}

/** Number of characters after an escape that are read one by one: more escapes are likely, and each `indexOf` has a fixed cost. */
const READ_AFTER_ESCAPE = 64;

/** Returns the offset after the closing quote of the string that begins at `start`. */
function findStringEnd(json: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const end = json.indexOf('"', at);
    if (end < 0) return json.length;
    let before = end - 1;
    while (before >= at && json.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end + 1;
    at = end + 1;
    for (let readTo = at + READ_AFTER_ESCAPE; at < readTo; at++) {
      const code = json.charCodeAt(at);
      if (code === QUOTE) return at + 1;
      if (code === BACKSLASH) readTo = ++at + READ_AFTER_ESCAPE;
      else if (Number.isNaN(code)) return json.length;
    }
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const STRUCTURE = /["{}[\],]/g;
// Inside a nested value commas do not matter, and long lists have many of them.
const NESTED_STRUCTURE = /["{}[\]]/g;

/** Returns the offset of the comma or closing bracket after the value that begins at `start`. */
function findValueEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; ) {
    const structure = depth === 0 ? STRUCTURE : NESTED_STRUCTURE;
    structure.lastIndex = at;
    const match = structure.exec(json);
    if (match === null) return json.length;
    const c = match[0];
    at = c === '"' ? findStringEnd(json, match.index) : match.index + 1;
    if (c === "{" || c === "[") depth++;
    else if (c !== '"' && depth-- === 0) return match.index;
  }
}
