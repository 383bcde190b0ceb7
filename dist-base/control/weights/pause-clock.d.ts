/** Measures how long an update holds model calls, over all attempts. */
export declare class PauseClock {
    #private;
    constructor(now?: () => number);
    get seconds(): number;
    start(): void;
    stop(): void;
}
