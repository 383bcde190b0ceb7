/**
 * A list from which any item is removed in constant time. An array would have to search for the item. A Set that is emptied from
 * the front would visit the holes of removed items to find its first one.
 */
export class LinkedList {
    #first;
    #last;
    get first() {
        return this.#first;
    }
    /** Adds a value at the end. */
    push(value) {
        const item = { value, previous: undefined, next: undefined };
        this.#append(item);
        return item;
    }
    /** Moves an item of this list to the end. */
    moveToEnd(item) {
        this.remove(item);
        this.#append(item);
    }
    /** Removes an item that is in this list. */
    remove(item) {
        const { previous, next } = item;
        if (previous)
            previous.next = next;
        else
            this.#first = next;
        if (next)
            next.previous = previous;
        else
            this.#last = previous;
    }
    #append(item) {
        item.previous = this.#last;
        item.next = undefined;
        if (this.#last)
            this.#last.next = item;
        else
            this.#first = item;
        this.#last = item;
    }
}
//# sourceMappingURL=linked-list.js.map