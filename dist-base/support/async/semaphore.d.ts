/** Limits how many tasks run at once. Those that wait are admitted in the order in which they came. */
export declare class Semaphore {
    #private;
    /** @param permits how many may be held at once */
    constructor(permits: number);
    /** Tasks that wait for a permit. */
    get waiting(): number;
    /** Returns a permit if one is free, else undefined. Dispose it when the task is over; a second time has no effect. */
    tryAcquire(): Disposable | undefined;
    /** Waits for a permit. Rejects with the signal's reason if the signal is aborted or aborts first. */
    acquire(signal?: AbortSignal): Promise<Disposable>;
}
