/** Lookups that may follow each other. */
const BURST = 4;

/** Time after which another lookup is allowed. */
const REFILL_MS = 1000;

/**
 * Limits how often the gateway looks for workers whose tag it does not know. Anyone can send keys with forged tags, and a lookup
 * reads the workers folder and polls all workers. New workers are also found by the regular polls.
 */
export class LookupBudget {
  readonly #now: () => number;
  #left = BURST;
  #refilledAt: number;

  /** @param now clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#refilledAt = now();
  }

  /** Returns true if a lookup is allowed, and counts it. */
  take(): boolean {
    const refills = Math.floor((this.#now() - this.#refilledAt) / REFILL_MS);
    this.#refilledAt += refills * REFILL_MS;
    this.#left = Math.min(BURST, this.#left + refills);
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }

  /** A lookup found its worker: the tag was not forged. Many workers may start at once. */
  giveBack(): void {
    this.#left = BURST;
  }
}
