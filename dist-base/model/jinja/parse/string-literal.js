const CHARACTERS = new Map([
    ["\n", ""],
    ["\\", "\\"],
    ["'", "'"],
    ['"', '"'],
    ["a", "\x07"],
    ["b", "\b"],
    ["f", "\f"],
    ["n", "\n"],
    ["r", "\r"],
    ["t", "\t"],
    ["v", "\v"],
]);
const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/gsu;
/**
 * Returns the text of a string literal, whose escapes are those of Python.
 *
 * @throws Error on an incomplete escape, and on characters by name (`\N{…}`), which are not supported
 */
export function unescapeLiteral(literal) {
    return literal.replace(ESCAPE, (_, octal, ...rest) => {
        if (octal !== undefined)
            return String.fromCodePoint(Number.parseInt(octal, 8));
        const [two, four, eight, character = ""] = rest;
        const hex = two ?? four ?? eight;
        return hex === undefined ? unescapeCharacter(character) : fromHex(hex);
    });
}
function fromHex(hex) {
    const code = Number.parseInt(hex, 16);
    if (code > 0x10ffff)
        throw new Error(`illegal Unicode character \\U${hex}`);
    return String.fromCodePoint(code);
}
function unescapeCharacter(character) {
    if (/[xuU]/.test(character))
        throw new Error(`truncated \\${character} escape`);
    if (character === "N")
        throw new Error("characters by name, such as \\N{BULLET}, are not supported");
    return CHARACTERS.get(character) ?? `\\${asciiSpelling(character)}`;
}
/** Python spells text in ASCII before it reads the escapes, so a backslash escapes that spelling. */
function asciiSpelling(character) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80)
        return character;
    const hex = code.toString(16);
    if (code <= 0xff)
        return `x${hex.padStart(2, "0")}`;
    return code <= 0xffff ? `u${hex.padStart(4, "0")}` : `U${hex.padStart(8, "0")}`;
}
//# sourceMappingURL=string-literal.js.map