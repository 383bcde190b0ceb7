import { countNoun } from "../count-noun.js";
const INTERVAL_MS = 200;
const CLEAR_LINE = "\r\u001b[K";
/** Shows on a terminal how many sessions a command has read. The command reads without a pause, so there is no timer. */
export class SessionProgress {
    #verb;
    #terminal;
    #now;
    #done = 0;
    #shownAt = Number.NEGATIVE_INFINITY;
    /** @param verb what is done with the sessions, for example `verified` */
    constructor(verb, terminal = process.stderr, now = () => performance.now()) {
        this.#verb = verb;
        this.#terminal = terminal;
        this.#now = now;
    }
    /** Counts a session. */
    step(total) {
        this.#done++;
        if (!this.#terminal.isTTY || this.#now() - this.#shownAt < INTERVAL_MS)
            return;
        this.#shownAt = this.#now();
        this.#terminal.write(`${CLEAR_LINE}${this.#verb} ${this.#done} of ${countNoun(total, "session")}`);
    }
    /** Removes the line, so that something else can be printed. */
    clear() {
        if (this.#terminal.isTTY)
            this.#terminal.write(CLEAR_LINE);
    }
}
//# sourceMappingURL=progress.js.map