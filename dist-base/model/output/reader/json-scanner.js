/** Deepest nesting of arguments, so that recursion over them cannot overflow the stack. */
const MAX_DEPTH = 128;
const WORD = /[-+.0-9A-Za-z]*/y;
const IS_WORD = /^(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)$/;
/** Longest word, so that an endless run of digits takes no unbounded memory. */
const MAX_WORD = 1024;
/**
 * Finds where one JSON value (RFC 8259) ends or becomes invalid in a text that arrives in parts. The cost is linear in
 * the length of the text, independent of the parts.
 */
export class JsonScanner {
    /** `open`: the value continues. `done`: it has ended. `broken`: the next character is not allowed. */
    state = "open";
    #expect = "value";
    #open = [];
    #isKey = false;
    #hexLeft = 0;
    #word = "";
    /**
     * Takes the part of the value that begins at `from`. Returns where the value ends or breaks, or the end of the text.
     */
    scan(text, from = 0) {
        let at = from;
        while (at < text.length && this.state === "open")
            at = this.#step(text, at);
        return at;
    }
    /** Ends the text. A number may end here. */
    finish() {
        if (this.state !== "open")
            return;
        if (this.#expect === "word" && this.#open.length === 0)
            this.#endWord();
        else
            this.state = "broken";
    }
    #step(text, at) {
        if (this.#expect === "string")
            return this.#inString(text, at);
        if (this.#expect === "word")
            return this.#inWord(text, at);
        const character = text.charAt(at);
        if (this.#expect === "escape")
            return this.#escaped(character, at);
        if (this.#expect === "hex")
            return this.#hex(character, at);
        return /[ \t\r\n]/.test(character) ? at + 1 : this.#structure(character, at);
    }
    #structure(character, at) {
        const expect = this.#expect;
        if (expect === "colon")
            return character === ":" ? this.#then("value", at) : this.#break(at);
        if (expect === "key or end" && character === "}")
            return this.#close(at);
        if (expect === "key or end" || expect === "key") {
            return character === '"' ? this.#beginString(true, at) : this.#break(at);
        }
        if (expect === "value or end" && character === "]")
            return this.#close(at);
        if (expect === "comma or end")
            return this.#afterValue(character, at);
        return this.#value(character, at);
    }
    #value(character, at) {
        if (character === '"')
            return this.#beginString(false, at);
        if (character === "{" || character === "[") {
            if (this.#open.length === MAX_DEPTH)
                return this.#break(at);
            this.#open.push(character);
            return this.#then(character === "{" ? "key or end" : "value or end", at);
        }
        if (!/[-0-9tfn]/.test(character))
            return this.#break(at);
        this.#word = "";
        this.#expect = "word";
        return at;
    }
    #afterValue(character, at) {
        const inObject = this.#open.at(-1) === "{";
        if (character === ",")
            return this.#then(inObject ? "key" : "value", at);
        return character === (inObject ? "}" : "]") ? this.#close(at) : this.#break(at);
    }
    #beginString(isKey, at) {
        this.#isKey = isKey;
        return this.#then("string", at);
    }
    #inString(text, at) {
        const end = findStringBreak(text, at);
        if (end === text.length)
            return end;
        const character = text.charAt(end);
        if (character === "\\")
            return this.#then("escape", end);
        if (character !== '"')
            return this.#break(end);
        if (this.#isKey)
            return this.#then("colon", end);
        this.#valueEnds();
        return end + 1;
    }
    #escaped(character, at) {
        this.#hexLeft = 4;
        if (character === "u")
            return this.#then("hex", at);
        return '"\\/bfnrt'.includes(character) ? this.#then("string", at) : this.#break(at);
    }
    #hex(character, at) {
        if (!/[0-9A-Fa-f]/.test(character))
            return this.#break(at);
        this.#hexLeft--;
        return this.#then(this.#hexLeft === 0 ? "string" : "hex", at);
    }
    #inWord(text, at) {
        WORD.lastIndex = at;
        this.#word += WORD.exec(text)?.[0] ?? "";
        const end = WORD.lastIndex;
        if (this.#word.length > MAX_WORD)
            return this.#break(end);
        if (end < text.length)
            this.#endWord();
        return end;
    }
    #endWord() {
        if (IS_WORD.test(this.#word))
            this.#valueEnds();
        else
            this.state = "broken";
    }
    #close(at) {
        this.#open.pop();
        this.#valueEnds();
        return at + 1;
    }
    #valueEnds() {
        this.#expect = "comma or end";
        if (this.#open.length === 0)
            this.state = "done";
    }
    #then(expect, at) {
        this.#expect = expect;
        return at + 1;
    }
    #break(at) {
        this.state = "broken";
        return at;
    }
}
/** Finds the next quote, backslash or control character, which a JSON string cannot contain unescaped. */
function findStringBreak(text, from) {
    for (let at = from; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code === 0x22 || code === 0x5c || code < 0x20)
            return at;
    }
    return text.length;
}
/** Returns true if a text is one JSON value without white space around it. */
export function isJson(text) {
    const scanner = new JsonScanner();
    const end = scanner.scan(text);
    scanner.finish();
    return scanner.state === "done" && end === text.length && text.trim() === text;
}
//# sourceMappingURL=json-scanner.js.map