/** Longer texts are shown as they are. */
const LONGEST = 200_000;
/** Deeper nesting is not indented further. */
const DEEPEST = 40;

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

/**
 * Indents the JSON text of an object or array, and returns undefined for any other text. Strings and numbers keep their
 * spelling: parsing and serializing again would change long numbers, escapes and repeated keys.
 */
export function indentJson(text: string): string | undefined {
  if (text.length > LONGEST || !/^\s*[{[]/.test(text) || !isJson(text)) return undefined;
  let [indented, depth] = ["", 0];
  let previous = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth--;
    const isEmpty = closes && (previous === "{" || previous === "[");
    if (closes ? !isEmpty : previous === "{" || previous === "[" || previous === ",") indented += lineBreak(depth);
    indented += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth++;
    previous = token;
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
