/**
 * A clock for leases that stands still while this process does. After a pause of the process, for example because its machine slept,
 * heartbeats wait unread in its sockets. With another clock, every lease would be lost before they are read.
 */
export class SteadyClock {
    #now = 0;
    #lastTick = performance.now();
    #timer;
    /**
     * @param tickMilliseconds time between two ticks. One tick never counts more than twice that time.
     * @param onTick is called with the time after each tick
     */
    constructor(tickMilliseconds, onTick) {
        this.#timer = setInterval(() => {
            const time = performance.now();
            this.#now += Math.min(time - this.#lastTick, 2 * tickMilliseconds);
            this.#lastTick = time;
            onTick(this.#now);
        }, tickMilliseconds);
        this.#timer.unref();
    }
    /** Milliseconds since the start, at the last tick. */
    get now() {
        return this.#now;
    }
    stop() {
        clearInterval(this.#timer);
    }
}
//# sourceMappingURL=steady-clock.js.map