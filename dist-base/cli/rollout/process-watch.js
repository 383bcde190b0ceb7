import { EXIT_INTERRUPTED, onInterrupt } from "./interrupt.js";
import { exit, guardProcess } from "./process-guard.js";
const EXIT_UNCAUGHT = 1;
/**
 * Passes signals and uncaught errors on to the job. It begins before agents are imported and lasts until the summary is
 * printed, because timers and promises of agents outlive the job. Before there is a job, both end the process immediately.
 */
export class ProcessWatch {
    #unguard = guardProcess((error) => (this.#job ? this.#job.fail(error) : exit(EXIT_UNCAUGHT)));
    #removeListeners = onInterrupt(() => this.#interrupt());
    #job;
    #interrupted = false;
    /** True after the first signal. */
    get interrupted() {
        return this.#interrupted;
    }
    /** Call it when the job begins. */
    begin(job) {
        this.#job = job;
    }
    [Symbol.dispose]() {
        this.#removeListeners();
        this.#unguard();
    }
    #interrupt() {
        if (!this.#job)
            exit(EXIT_INTERRUPTED);
        this.#interrupted = true;
        this.#job.interrupt();
    }
}
//# sourceMappingURL=process-watch.js.map