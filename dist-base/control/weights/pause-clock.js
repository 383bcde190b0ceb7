/** Measures how long an update holds model calls, over all attempts. */
export class PauseClock {
    #now;
    #milliseconds = 0;
    #startedAt;
    constructor(now = () => performance.now()) {
        this.#now = now;
    }
    get seconds() {
        const running = this.#startedAt === undefined ? 0 : this.#now() - this.#startedAt;
        return (this.#milliseconds + running) / 1000;
    }
    start() {
        this.#startedAt ??= this.#now();
    }
    stop() {
        this.#milliseconds = this.seconds * 1000;
        this.#startedAt = undefined;
    }
}
//# sourceMappingURL=pause-clock.js.map