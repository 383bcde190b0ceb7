/** Longer texts are shown as they are. */
const LONGEST = 200_000;
/** Deeper nesting is not indented further. */
const DEEPEST = 40;

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** A list without nested lists or objects stays on one line up to this length. */
const INLINE = 72;

/**
 * Indents the JSON text of an object or array, and returns undefined for any other text. Strings and numbers keep their
 * spelling: parsing and serializing again would change long numbers, escapes and repeated keys.
 */
export function indentJson(text: string): string | undefined {
  if (text.length > LONGEST || !/^\s*[{[]/.test(text) || !isJson(text)) return undefined;
  const tokens = Array.from(text.matchAll(TOKEN), ([token]) => token);
  let [indented, depth, inline] = ["", 0, -1];
  for (const [at, token] of tokens.entries()) {
    if (at > inline) inline = inlineEnd(tokens, at);
    if (at <= inline) {
      indented += token === "," ? ", " : token;
      continue;
    }
    if (token === "}" || token === "]") indented += lineBreak(--depth);
    indented += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
    if (token === "{" || token === "[" || token === ",") indented += lineBreak(depth);
  }
  return indented;
}

const lineBreak = (depth: number): string => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the position of the bracket that closes the list or empty object at `start`, if it fits into a line; otherwise -1. */
function inlineEnd(tokens: readonly string[], start: number): number {
  if (tokens[start] === "{") return tokens[start + 1] === "}" ? start + 1 : -1;
  if (tokens[start] !== "[") return -1;
  let length = 0;
  for (let at = start + 1; length <= INLINE; at++) {
    const token = tokens[at];
    if (token === "]") return at;
    if (token === undefined || token === "[" || token === "{") return -1;
    length += token.length + 1;
  }
  return -1;
}
