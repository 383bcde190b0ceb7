/** Time by which a check may be late without counting as a pause. */
const SPARE_MS = 500;
/**
 * Measures for how long this process stood still, because it was suspended or other programs left it no time. A regular check that comes
 * late shows this.
 */
export class ActiveTime {
    #checkMs;
    #longestMs;
    #now;
    #checkedAt;
    #paused = 0;
    #pauses = [];
    /**
     * @param checkMs time between two calls of {@link check}, if the process runs
     * @param longestMs the greatest time for which pauses are measured
     * @param now returns milliseconds of a monotonic clock
     */
    constructor(checkMs, longestMs, now = () => performance.now()) {
        this.#checkMs = checkMs;
        this.#longestMs = longestMs;
        this.#now = now;
    }
    /** Notes a pause if this call comes late. A late check counts as a pause since the check before it. */
    check() {
        const now = this.#now();
        const passed = now - (this.#checkedAt ?? now);
        this.#checkedAt = now;
        if (passed <= this.#checkMs + SPARE_MS)
            return;
        this.#paused += passed;
        this.#pauses = this.#listSince(this.#longestMs);
        this.#pauses.push({ milliseconds: passed, endedAt: now - this.#paused });
    }
    /** Returns for how many milliseconds the process stood still since the time when it had `activeMs` less of active time. */
    measurePaused(activeMs) {
        return this.#listSince(activeMs).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    }
    #listSince(activeMs) {
        const since = this.#now() - this.#paused - activeMs;
        return this.#pauses.filter(({ endedAt }) => endedAt > since);
    }
}
//# sourceMappingURL=active-time.js.map