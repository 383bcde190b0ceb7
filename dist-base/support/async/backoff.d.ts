export interface Backoff {
    readonly firstMilliseconds: number;
    readonly longestMilliseconds: number;
}
/**
 * Returns how long to wait before another attempt: twice as long after each failed attempt.
 *
 * @param earlier how many waits there were before this one
 */
export declare function backoffMilliseconds(earlier: number, { firstMilliseconds, longestMilliseconds }: Backoff): number;
