const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Makes untrusted text from agents or files safe to print: control characters, invisible characters and those that
 * change the direction of writing become spaces.
 */
export function makeInert(text: string): string {
  return text.replace(INVISIBLE, " ");
}

/**
 * Escapes the characters that {@link makeInert} replaces in lines of JSON. The values stay the same. JSON itself escapes only some of
 * these characters, and a terminal obeys the others.
 */
export function escapeJsonLines(lines: string): string {
  return lines.replace(INVISIBLE, (text) =>
    text === "\n" ? text : Array.from({ length: text.length }, (_, i) => toEscape(text.charCodeAt(i))).join(""),
  );
}

function toEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Like {@link makeInert} for text of several lines. Keeps its line breaks. */
export function makeInertLines(text: string): string {
  return text.split("\n").map(makeInert).join("\n");
}
