/**
 * Finds where a Python expression ends in a text that arrives in parts: at a comma or a closing bracket that is not part of
 * it. The cost is linear in the length of the text, independent of the parts.
 */
export class PythonScanner {
    isDone = false;
    #depth = 0;
    /** The quote of the current string; empty outside of strings. */
    #quote = "";
    /** Three quotes close the string. */
    #isTriple = false;
    /** Number of consecutive quotes at the opening, or towards the closing three. */
    #run = 0;
    #isOpening = false;
    #isEscaped = false;
    /** Takes the part of the expression in a text. Returns where the expression ends, or the end of the text. */
    scan(text) {
        for (let at = 0; at < text.length; at++) {
            this.#step(text.charAt(at));
            if (this.isDone)
                return at;
        }
        return text.length;
    }
    #step(character) {
        if (this.#isOpening && !this.#opened(character))
            return;
        if (this.#quote !== "")
            this.#inString(character);
        else
            this.#outside(character);
    }
    /** Takes a character after a string's first quote. Returns true if it must still be read like any other character. */
    #opened(character) {
        if (character === this.#quote && this.#run < 3) {
            this.#run++;
            this.#isTriple = this.#run === 3;
            if (this.#isTriple)
                [this.#isOpening, this.#run] = [false, 0];
            return false;
        }
        if (this.#run === 2)
            this.#quote = "";
        this.#isOpening = false;
        this.#run = 0;
        return true;
    }
    #inString(character) {
        if (this.#isEscaped) {
            this.#isEscaped = false;
            this.#run = 0;
        }
        else if (character === "\\") {
            this.#isEscaped = true;
        }
        else if (character !== this.#quote) {
            this.#run = 0;
        }
        else if (++this.#run === (this.#isTriple ? 3 : 1)) {
            this.#quote = "";
            this.#isTriple = false;
            this.#run = 0;
        }
    }
    #outside(character) {
        if (character === '"' || character === "'") {
            this.#quote = character;
            this.#isOpening = true;
            this.#run = 1;
        }
        else if ("([{".includes(character)) {
            this.#depth++;
        }
        else if (")]}".includes(character)) {
            if (this.#depth === 0)
                this.isDone = true;
            this.#depth--;
        }
        else if (character === "," && this.#depth === 0) {
            this.isDone = true;
        }
    }
}
//# sourceMappingURL=python-scanner.js.map