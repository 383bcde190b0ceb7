import { untilAborted } from "../../../support/async/until-aborted.js";
/** Holds requests back while their engine is paused. */
export class PauseHold {
    #mode;
    #pauses = 0;
    #opened;
    #open = () => { };
    /** The mode of the current pause; undefined if the engine is not paused. */
    get mode() {
        return this.#mode;
    }
    /** Number of pauses so far. */
    get pauses() {
        return this.#pauses;
    }
    close(mode) {
        this.#mode = mode;
        this.#pauses++;
        this.#opened ??= new Promise((resolve) => {
            this.#open = resolve;
        });
    }
    open() {
        this.#mode = undefined;
        this.#opened = undefined;
        this.#open();
    }
    /** Resolves when requests may be sent. Rejects with the signal's reason if the signal aborts first. */
    async pass(signal) {
        while (this.#opened)
            await untilAborted(this.#opened, signal);
    }
}
//# sourceMappingURL=pause-hold.js.map