import { Fifo } from "../fifo.js";
/**
 * Counts the output tokens whose text begins in the reasoning. Its markers and headers count as reasoning. A place is a number
 * of characters, including those of markers. Only unread tokens are kept.
 */
export class ReasoningCount {
    #starts = new Fifo();
    #stretch = "undecided";
    #isOver = false;
    #count = 0;
    /** Tokens of reasoning so far. */
    get count() {
        return this.#count;
    }
    /** Adds a token whose text begins at a place. If a token is only a part of a character, its place is that of the character. */
    addToken(at) {
        if (!this.#isOver)
            this.#starts.push(at);
    }
    /** Sets the kind of the output from a place on. If the kind was `undecided`, the tokens before that place get it too. */
    begin(stretch, at) {
        this.readTo(at);
        this.#stretch = stretch;
    }
    /** Counts the tokens before a place, after the output was read up to there. */
    readTo(at) {
        if (this.#stretch === "undecided")
            return;
        for (let next = this.#starts.next; next !== undefined && next < at; next = this.#starts.next) {
            this.#starts.shift();
            if (this.#stretch === "reasoning")
                this.#count++;
        }
    }
    /** Ends the reasoning at a place. Everything from there on is the answer. */
    end(at) {
        this.readTo(at);
        this.#isOver = true;
        this.#stretch = "answer";
        this.readTo(Number.POSITIVE_INFINITY);
    }
}
//# sourceMappingURL=reasoning-count.js.map