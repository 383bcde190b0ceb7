import { Fifo } from "./fifo.js";
import { shownText } from "./piece.js";
import { PrefixMatcher } from "./prefix-matcher.js";
/**
 * Ends an output at the first stop string that its text completes. Of several that end at the same character, the longest
 * counts. Special tokens take part with their spelling, like in the engines, although they are not shown.
 *
 * Only text that may be the beginning of a stop string is held back.
 */
export class StopStrings {
    #matchers;
    /** Pieces whose end may belong to a stop string. */
    #held = new Fifo();
    #heldLength = 0;
    #found;
    constructor(stops) {
        this.#matchers = stops.filter((stop) => stop !== "").map((stop) => new PrefixMatcher(stop));
    }
    /** The stop string that ended the output. */
    get found() {
        return this.#found;
    }
    /** Takes pieces and returns those that cannot become part of a stop string. */
    push(pieces) {
        if (this.#matchers.length === 0)
            return pieces;
        for (const piece of pieces) {
            if (this.#found !== undefined)
                break;
            this.#take(piece);
        }
        if (this.#found !== undefined)
            return this.#release(this.#heldLength - this.#found.length, true);
        return this.#release(this.#heldLength - Math.max(...this.#matchers.map((matcher) => matcher.matched)), false);
    }
    /** Returns the text that was held back: at the end of the output, it cannot become a stop string. */
    finish() {
        return this.#found === undefined ? this.#release(this.#heldLength, false) : [];
    }
    #take(piece) {
        const { text } = piece;
        for (let at = 0; at < text.length; at++) {
            const code = text.charCodeAt(at);
            for (const matcher of this.#matchers) {
                if (matcher.step(code) && matcher.pattern.length > (this.#found?.length ?? 0))
                    this.#found = matcher.pattern;
            }
            if (this.#found === undefined)
                continue;
            this.#hold({ ...piece, text: text.slice(0, at + 1) });
            return;
        }
        this.#hold(piece);
    }
    #hold(piece) {
        this.#held.push(piece);
        this.#heldLength += piece.text.length;
    }
    /** Releases the first `length` characters of the held pieces. A token of which a part remains becomes text. */
    #release(length, last) {
        let left = length;
        const out = [];
        let next = this.#held.next;
        for (; next !== undefined && next.text.length <= left; next = this.#held.next) {
            this.#held.shift();
            out.push(next);
            left -= next.text.length;
        }
        if (left > 0 && next !== undefined && (last || next.kind === "text")) {
            const shown = shownText(next).slice(0, left);
            if (shown !== "")
                out.push({ kind: "text", text: shown });
            this.#held.replaceNext({ ...next, text: next.text.slice(left) });
            left = 0;
        }
        this.#heldLength -= length - left;
        return out;
    }
}
//# sourceMappingURL=stop-strings.js.map