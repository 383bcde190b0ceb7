import { setTimeout as sleep } from "node:timers/promises";
/** Minimum time between the end of a refresh and the next one of {@link SharedRefresh.runNext}. */
const MIN_REFRESH_MS = 100;
/** Runs one refresh at a time, which concurrent callers share. */
export class SharedRefresh {
    #refresh;
    #running;
    #next;
    #endedAt = Number.NEGATIVE_INFINITY;
    constructor(refresh) {
        this.#refresh = refresh;
    }
    /** True while a call of {@link runNext} waits. */
    get isNextRunning() {
        return this.#next !== undefined;
    }
    /** Refreshes now, or waits for the refresh in progress. */
    run() {
        this.#running ??= this.#refresh().finally(() => {
            this.#running = undefined;
            this.#endedAt = performance.now();
        });
        return this.#running;
    }
    /** Refreshes after the one in progress, which may have read its sources before they changed. Concurrent calls share this refresh. */
    runNext() {
        this.#next ??= this.#runAfterCurrent().finally(() => {
            this.#next = undefined;
        });
        return this.#next;
    }
    async #runAfterCurrent() {
        await this.#running;
        const wait = this.#endedAt + MIN_REFRESH_MS - performance.now();
        if (wait > 0)
            await sleep(wait);
        await this.run();
    }
}
//# sourceMappingURL=shared-refresh.js.map