const SPACES = ["", " ", "  ", "\n ", "\t"];

/**
 * Writes JSON as no serializer does: with irregular white space and escapes that are not needed. Programs parse the arguments of calls and
 * serialize them again, so such a call shows whether a prompt repeats the sampled text or the text that the program sent back.
 */
export function writeOddJson(value: unknown): string {
  let drawn = 0;
  const space = () => SPACES[drawn++ % SPACES.length] ?? "";
  const write = (each: unknown): string => {
    if (Array.isArray(each)) return `[${each.map((item) => `${space()}${write(item)}${space()}`).join(",")}]`;
    if (typeof each === "string") return escapeSome(each);
    if (typeof each !== "object" || each === null) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([key, member]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${write(member)}${space()}`,
    );
    return `{${members.join(",")}}`;
  };
  return write(value);
}

/** Escapes the first letter of a string, and its slashes. */
function escapeSome(text: string): string {
  const rest = JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/");
  const first = /^[a-z]/.test(rest) ? `\\u${rest.charCodeAt(0).toString(16).padStart(4, "0")}` : rest.slice(0, 1);
  return text === "" || rest.startsWith("\\") ? `"${rest}"` : `"${first}${rest.slice(1)}"`;
}
