const BEAT_MS = 250;
/**
 * Maximum time that counts between two measurements. Suspending a machine or a process stops both threads, and that
 * time is not a stall.
 */
const MAX_STEP_MS = 4 * BEAT_MS;
/** Counts up in memory that threads share, while the event loop of this thread runs. Does not keep the process alive. */
export class Heartbeat {
    beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    #timer = setInterval(() => Atomics.add(this.beats, 0, 1), BEAT_MS).unref();
    stop() {
        clearInterval(this.#timer);
    }
}
/** Measures, on another thread, for how long a heartbeat has not moved. */
export class HeartbeatWatch {
    #beats;
    #timer = setInterval(() => this.measure(), BEAT_MS).unref();
    #seen = 0;
    #silent = 0;
    #measuredAt = performance.now();
    constructor(beats) {
        this.#beats = beats;
    }
    /** Returns the milliseconds since the last beat, without the time in which this thread did not run either. */
    measure(now = performance.now()) {
        const beats = Atomics.load(this.#beats, 0);
        this.#silent = beats === this.#seen ? this.#silent + Math.min(now - this.#measuredAt, MAX_STEP_MS) : 0;
        this.#seen = beats;
        this.#measuredAt = now;
        return this.#silent;
    }
    stop() {
        clearInterval(this.#timer);
    }
}
//# sourceMappingURL=heartbeat.js.map