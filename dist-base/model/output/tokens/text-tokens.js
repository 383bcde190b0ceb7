import { Fifo } from "../fifo.js";
/** Finds the tokens of each text of an output, in order. A place is a number of characters, including those of markers. */
export class TextTokens {
    #starts = new Fifo();
    /** Index of the first token in `#starts`. */
    #first = 0;
    /** Adds a token whose text begins at a place. */
    addToken(at) {
        this.#starts.push(at);
    }
    /** Returns the tokens of the text between two places, without those that an earlier text had. */
    take(from, to) {
        while (this.#isBefore(from))
            this.#shift();
        const first = this.#first;
        while (this.#starts.length > 0 && (this.#starts.next ?? to) < to)
            this.#shift();
        return { from: first, to: this.#first };
    }
    /** Returns true if the first token ends before a place. A token without text ends where it begins. */
    #isBefore(place) {
        const start = this.#starts.next;
        const end = this.#starts.peek(1);
        return start !== undefined && end !== undefined && start < place && end <= place;
    }
    #shift() {
        this.#starts.shift();
        this.#first++;
    }
}
//# sourceMappingURL=text-tokens.js.map