/** Allows something a number of times per second on average, and as many times at once after a pause. */
export declare class Allowance {
    #private;
    /** @param now returns the time in milliseconds */
    constructor(perSecond: number, now?: () => number);
    /** Returns true if it is allowed now, and counts it. */
    take(): boolean;
}
