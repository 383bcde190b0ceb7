/** Counts the requests to one server by outcome. */
export class ServerTally {
    #counts = {
        completed: 0,
        failed: 0,
        aborted: 0,
        failovers: 0,
    };
    #lastFailure;
    get counts() {
        return { ...this.#counts };
    }
    get lastFailure() {
        return this.#lastFailure;
    }
    addCompleted() {
        this.#add("completed");
    }
    /** Counts a request that the caller aborted, which is no failure of the server. */
    addAborted() {
        this.#add("aborted");
    }
    /** Counts a failed request, or a failed question on which a request depends. */
    addFailed(error) {
        this.#add("failed");
        this.#lastFailure = { message: error instanceof Error ? error.message : String(error), at: Date.now() };
    }
    /** Counts a request that did not begin here and went to another server. */
    addFailover() {
        this.#add("failovers");
    }
    #add(outcome) {
        this.#counts[outcome]++;
    }
}
//# sourceMappingURL=server-tally.js.map