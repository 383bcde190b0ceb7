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
  const tokens = text.match(TOKEN) ?? [];
  let [indented, depth] = ["", 0];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? "";
    const inline = inlineEnd(tokens, at);
    if (inline > at) {
      for (const part of tokens.slice(at, inline + 1)) indented += part === "," ? ", " : part;
      at = inline;
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
  for (let at = start + 1; at < tokens.length && length <= INLINE; at++) {
    const token = tokens[at] ?? "";
    if (token === "]") return at;
    if (token === "[" || token === "{") return -1;
    length += token.length + 1;
  }
  return -1;
}
