/**
 * Returns how long to wait before another attempt: twice as long after each failed attempt.
 *
 * @param earlier how many waits there were before this one
 */
export function backoffMilliseconds(earlier, { firstMilliseconds, longestMilliseconds }) {
    return Math.min(firstMilliseconds * 2 ** earlier, longestMilliseconds);
}
//# sourceMappingURL=backoff.js.map