/**
 * Measures for how long this process stood still, because it was suspended or other programs left it no time. A regular check that comes
 * late shows this.
 */
export declare class ActiveTime {
    #private;
    /**
     * @param checkMs time between two calls of {@link check}, if the process runs
     * @param longestMs the greatest time for which pauses are measured
     * @param now returns milliseconds of a monotonic clock
     */
    constructor(checkMs: number, longestMs: number, now?: () => number);
    /** Notes a pause if this call comes late. A late check counts as a pause since the check before it. */
    check(): void;
    /** Returns for how many milliseconds the process stood still since the time when it had `activeMs` less of active time. */
    measurePaused(activeMs: number): number;
}
