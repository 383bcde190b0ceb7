const MAX_DEPTH = 128;
// Every text matches in only one way. Otherwise a missing quote would cause costly backtracking.
const STRING = /(?:"""((?:[^\\]|\\[\s\S])*?)"""|'{3}((?:[^\\]|\\[\s\S])*?)'{3}|"([^"\\\n]*(?:\\[\s\S][^"\\\n]*)*)"|'([^'\\\n]*(?:\\[\s\S][^'\\\n]*)*)')/y;
const NUMBER = /[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)/y;
const WORD = /[A-Za-z]+/y;
const SPACE = /[ \t\r\n]*/y;
const WORDS = new Map([
    ["True", "true"],
    ["False", "false"],
    ["None", "null"],
    ["true", "true"],
    ["false", "false"],
    ["null", "null"],
]);
/**
 * Returns the JSON text of a Python literal (strings, numbers, True, False, None, lists, tuples, dicts); otherwise
 * undefined.
 */
export function parsePythonLiteral(text) {
    try {
        const parser = new LiteralParser(text);
        const json = parser.value(0);
        return parser.isAtEnd() ? json : undefined;
    }
    catch (error) {
        if (error instanceof NotALiteral)
            return undefined;
        throw error;
    }
}
class NotALiteral extends Error {
    name = "NotALiteral";
}
class LiteralParser {
    #text;
    #at = 0;
    constructor(text) {
        this.#text = text;
    }
    isAtEnd() {
        this.#match(SPACE);
        return this.#at === this.#text.length;
    }
    value(depth) {
        if (depth > MAX_DEPTH)
            throw new NotALiteral();
        this.#match(SPACE);
        switch (this.#text.charAt(this.#at)) {
            case "[":
                return this.#list("]", depth);
            case "(":
                return this.#list(")", depth);
            case "{":
                return this.#dict(depth);
            case '"':
            case "'":
                return JSON.stringify(this.#string());
            default:
                return this.#word();
        }
    }
    #list(end, depth) {
        const items = [];
        this.#at++;
        while (!this.#accept(end)) {
            items.push(this.value(depth + 1));
            if (!this.#accept(",") && this.#next() !== end)
                throw new NotALiteral();
        }
        return `[${items.join(", ")}]`;
    }
    #dict(depth) {
        const entries = [];
        this.#at++;
        while (!this.#accept("}")) {
            const key = this.#next() === '"' || this.#next() === "'" ? JSON.stringify(this.#string()) : `"${this.#word()}"`;
            if (!this.#accept(":"))
                throw new NotALiteral();
            entries.push(`${key}: ${this.value(depth + 1)}`);
            if (!this.#accept(",") && this.#next() !== "}")
                throw new NotALiteral();
        }
        return `{${entries.join(", ")}}`;
    }
    /** Adjacent strings are one string. */
    #string() {
        let out = "";
        while (this.#next() === '"' || this.#next() === "'") {
            STRING.lastIndex = this.#at;
            const match = STRING.exec(this.#text);
            if (match === null)
                throw new NotALiteral();
            this.#at = STRING.lastIndex;
            out += unescape(match[1] ?? match[2] ?? match[3] ?? match[4] ?? "");
        }
        return out;
    }
    #word() {
        const number = this.#match(NUMBER);
        if (number !== "")
            return numberJson(number);
        const word = WORDS.get(this.#match(WORD));
        if (word === undefined)
            throw new NotALiteral();
        return word;
    }
    #next() {
        this.#match(SPACE);
        return this.#text.charAt(this.#at);
    }
    #accept(character) {
        const isNext = this.#next() === character;
        if (isNext)
            this.#at++;
        return isNext;
    }
    #match(pattern) {
        pattern.lastIndex = this.#at;
        const found = pattern.exec(this.#text)?.[0] ?? "";
        this.#at += found.length;
        return found;
    }
}
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
/** Returns a number as JSON. It keeps its spelling if JSON allows it. */
function numberJson(text) {
    const plain = text.replaceAll("_", "").replace(/^\+/, "");
    if (JSON_NUMBER.test(plain))
        return plain;
    const negative = plain.startsWith("-");
    const magnitude = negative ? plain.slice(1) : plain;
    if (/^0[xob]/i.test(magnitude))
        return `${negative ? "-" : ""}${BigInt(magnitude)}`;
    const value = Number(plain);
    if (!Number.isFinite(value))
        throw new NotALiteral();
    return JSON.stringify(value);
}
const CODE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3}))|\\(\r\n|[\s\S])/g;
const CHARACTERS = new Map([
    ["n", "\n"],
    ["t", "\t"],
    ["r", "\r"],
    ["b", "\b"],
    ["f", "\f"],
    ["v", "\v"],
    ["a", "\u0007"],
    ["\n", ""],
    ["\r\n", ""],
]);
/** Reads escapes as Python does. Unknown escapes stay as they are. */
function unescape(body) {
    return body
        .replace(CODE, (whole, x, u, long, octal, other = "") => {
        const hex = x ?? u ?? long;
        if (hex !== undefined)
            return fromCode(Number.parseInt(hex, 16));
        if (octal !== undefined)
            return fromCode(Number.parseInt(octal, 8));
        return CHARACTERS.get(other) ?? ("\\'\"".includes(other) ? other : whole);
    })
        .toWellFormed();
}
function fromCode(code) {
    if (code > 0x10ffff)
        throw new NotALiteral();
    return String.fromCodePoint(code);
}
//# sourceMappingURL=python-literal.js.map