/** Allows something a number of times per second on average, and as many times at once after a pause. */
export class Allowance {
    #perSecond;
    #now;
    #left;
    #countedAt;
    /** @param now returns the time in milliseconds */
    constructor(perSecond, now = () => performance.now()) {
        this.#perSecond = perSecond;
        this.#now = now;
        this.#left = perSecond;
        this.#countedAt = now();
    }
    /** Returns true if it is allowed now, and counts it. */
    take() {
        const time = this.#now();
        this.#left = Math.min(this.#perSecond, this.#left + ((time - this.#countedAt) / 1000) * this.#perSecond);
        this.#countedAt = time;
        if (this.#left < 1)
            return false;
        this.#left--;
        return true;
    }
}
//# sourceMappingURL=allowance.js.map