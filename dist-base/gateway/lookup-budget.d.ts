/**
 * Limits how often the gateway looks for a worker with an unknown tag. Anyone can send keys with forged tags, and a lookup reads
 * the workers folder and polls all workers. The regular polls find new workers, too.
 */
export declare class LookupBudget {
    #private;
    /** @param now clock in milliseconds */
    constructor(now?: () => number);
    /** Returns true if a lookup is allowed, and counts it. */
    take(): boolean;
    /** Fills the budget again. Call this when a lookup found its worker: the tag was not forged, and more workers may be starting. */
    refill(): void;
}
