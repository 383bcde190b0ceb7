/** What the metadata of a batch says of its sessions, as they were when each of them was planned. */
export class SessionCounts {
    rewardsMissing = [];
    #incompleteCalls = [];
    #abortedCalls = [];
    add({ id, rewardsMissing, incompleteCalls, abortedCalls }) {
        if (rewardsMissing)
            this.rewardsMissing.push(id);
        if (incompleteCalls > 0)
            this.#incompleteCalls.push([id, incompleteCalls]);
        if (abortedCalls > 0)
            this.#abortedCalls.push([id, abortedCalls]);
    }
    /** By session id, without sessions that have none. */
    get incompleteCalls() {
        return Object.fromEntries(this.#incompleteCalls);
    }
    /** By session id, without sessions that have none. */
    get abortedCalls() {
        return Object.fromEntries(this.#abortedCalls);
    }
}
//# sourceMappingURL=session-counts.js.map