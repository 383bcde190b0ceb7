/** Number of lookups that are allowed in immediate succession. */
const BURST = 4;
/** Time after which one more lookup is allowed. */
const REFILL_MS = 1000;
/**
 * Limits how often the gateway looks for a worker with an unknown tag. Anyone can send keys with forged tags, and a lookup reads
 * the workers folder and polls all workers. The regular polls find new workers, too.
 */
export class LookupBudget {
    #now;
    #left = BURST;
    #refilledAt;
    /** @param now clock in milliseconds */
    constructor(now = () => performance.now()) {
        this.#now = now;
        this.#refilledAt = now();
    }
    /** Returns true if a lookup is allowed, and counts it. */
    take() {
        const refills = Math.floor((this.#now() - this.#refilledAt) / REFILL_MS);
        this.#refilledAt += refills * REFILL_MS;
        this.#left = Math.min(BURST, this.#left + refills);
        if (this.#left === 0)
            return false;
        this.#left--;
        return true;
    }
    /** Fills the budget again. Call this when a lookup found its worker: the tag was not forged, and more workers may be starting. */
    refill() {
        this.#left = BURST;
    }
}
//# sourceMappingURL=lookup-budget.js.map