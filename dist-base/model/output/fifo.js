/** A queue. Taking from the front has a constant cost; an array's `shift` moves all items. */
export class Fifo {
    #items = [];
    #first = 0;
    get length() {
        return this.#items.length - this.#first;
    }
    /** The first item. */
    get next() {
        return this.#items[this.#first];
    }
    /** Returns the item at an index, counted from the first. */
    peek(index) {
        return this.#items[this.#first + index];
    }
    push(item) {
        this.#items.push(item);
    }
    shift() {
        const item = this.#items[this.#first];
        if (this.length > 0)
            this.#first++;
        if (this.#first > 64 && this.#first * 2 > this.#items.length) {
            this.#items = this.#items.slice(this.#first);
            this.#first = 0;
        }
        return item;
    }
    /** Replaces the first item. */
    replaceNext(item) {
        this.#items[this.#first] = item;
    }
}
//# sourceMappingURL=fifo.js.map