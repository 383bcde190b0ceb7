/** A set of numbers in ascending order. Adding in ascending order and taking the first are fast. */
export class SortedNumbers {
    #numbers = [];
    get size() {
        return this.#numbers.length;
    }
    add(number) {
        const at = this.#find(number);
        if (this.#numbers[at] !== number)
            this.#numbers.splice(at, 0, number);
    }
    /** Removes the first number for which `test` returns true, and returns it. */
    takeFirst(test) {
        const at = this.#numbers.findIndex(test);
        return at < 0 ? undefined : this.#numbers.splice(at, 1)[0];
    }
    delete(number) {
        const at = this.#find(number);
        if (this.#numbers[at] === number)
            this.#numbers.splice(at, 1);
    }
    /** Returns the index of the first number that is not less than `number`. */
    #find(number) {
        let [from, to] = [0, this.#numbers.length];
        while (from < to) {
            const middle = (from + to) >>> 1;
            if ((this.#numbers[middle] ?? 0) < number)
                from = middle + 1;
            else
                to = middle;
        }
        return from;
    }
}
//# sourceMappingURL=sorted-numbers.js.map