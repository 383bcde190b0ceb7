import { untilAborted } from "../../support/async/until-aborted.js";
/** Time between two polls of absent workers while requests wait for them. */
const POLL_EVERY_MS = 500;
/**
 * The absent workers: they cannot be reached, but may return with the same tag, such as a server that restarts on its storage folder.
 *
 * The time limit counts from when the worker left, not from each request. Afterwards, requests for the worker fail at once.
 */
export class WorkerReturns {
    #options;
    #absences = new Map();
    #waiting = 0;
    #pollTimer;
    #isPolling = false;
    constructor(options) {
        this.#options = options;
    }
    /** The number of requests that wait. */
    get waiting() {
        return this.#waiting;
    }
    /** Tags of the absent workers. */
    get tags() {
        return [...this.#absences.keys()];
    }
    isAbsent(tag) {
        return this.#absences.has(tag);
    }
    /** Reports that a worker cannot be reached. Further reports do not extend the time limit. */
    left(tag) {
        const { milliseconds } = this.#options;
        if (milliseconds === 0 || this.#absences.has(tag))
            return;
        const timer = setTimeout(() => this.#end(tag), milliseconds).unref();
        this.#absences.set(tag, { timer, releases: new Set() });
    }
    /** Reports that a worker with this tag can be reached. */
    returned(tag) {
        this.#end(tag);
    }
    /**
     * Waits until the worker returns or the time limit is reached. Returns at once if the worker is not absent.
     *
     * @throws the signal's reason if it aborts first
     */
    async wait(tag, signal) {
        const absence = this.#absences.get(tag);
        if (!absence)
            return;
        let release = () => { };
        const ended = new Promise((resolve) => (release = resolve));
        absence.releases.add(release);
        this.#waiting++;
        this.#pollTimer ??= setInterval(() => void this.#poll(), POLL_EVERY_MS).unref();
        try {
            signal.throwIfAborted();
            await untilAborted(ended, signal);
        }
        finally {
            absence.releases.delete(release);
            this.#waiting--;
            if (this.#waiting === 0)
                this.#stopPolling();
        }
    }
    /** Ends all waits. */
    close() {
        for (const tag of this.tags)
            this.#end(tag);
        this.#stopPolling();
    }
    #end(tag) {
        const absence = this.#absences.get(tag);
        if (!absence)
            return;
        clearTimeout(absence.timer);
        this.#absences.delete(tag);
        for (const release of absence.releases)
            release();
    }
    async #poll() {
        if (this.#isPolling)
            return;
        this.#isPolling = true;
        try {
            await this.#options.poll();
        }
        finally {
            this.#isPolling = false;
        }
    }
    #stopPolling() {
        clearInterval(this.#pollTimer);
        this.#pollTimer = undefined;
    }
}
//# sourceMappingURL=worker-returns.js.map