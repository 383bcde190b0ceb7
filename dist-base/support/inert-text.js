/**
 * Makes untrusted text from agents or files safe to print: control characters, invisible characters and those that
 * change the direction of writing become spaces.
 */
export function makeInert(text) {
    return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}
/** Does the same for text of several lines, and keeps its line breaks. */
export function makeInertLines(text) {
    return text.split("\n").map(makeInert).join("\n");
}
//# sourceMappingURL=inert-text.js.map