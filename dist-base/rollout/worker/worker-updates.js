import { MAX_ENTRIES } from "../lease/protocol.js";
/** Maximum number of reports of one call. A rejection may have long texts. */
const MAX_REPORTS = MAX_ENTRIES / 16;
/** Pause before a report is sent again because the controller could not decide about it. */
const UNDECIDED_MS = 1_000;
/**
 * Sends sessions and reports of a rollout worker to its controller. Those that are added during a pause, or while a call is running,
 * share the next call.
 */
export class WorkerUpdates {
    #options;
    #sessions = [];
    #reports = [];
    /** When the next call is due, on the clock of `performance.now()`. */
    #dueAt = Number.POSITIVE_INFINITY;
    #timer;
    #isSending = false;
    constructor(options) {
        this.#options = options;
    }
    /** Announces a session. Returns false if its lease is lost. */
    announce(session) {
        return this.#add(this.#sessions, session, this.#options.pauses.session());
    }
    /** Reports a result. Returns false if it comes too late. */
    report(report) {
        return this.#add(this.#reports, report, this.#options.pauses.report());
    }
    #add(waiting, item, pause) {
        return new Promise((resolve, reject) => {
            waiting.push({ item, resolve, reject });
            this.#sendWithin(pause);
        });
    }
    #sendWithin(milliseconds) {
        const dueAt = performance.now() + milliseconds;
        if (dueAt >= this.#dueAt)
            return;
        this.#dueAt = dueAt;
        if (!this.#isSending)
            this.#setTimer();
    }
    #setTimer() {
        clearTimeout(this.#timer);
        const milliseconds = this.#dueAt - performance.now();
        // A timer waits for at least one millisecond, so items of the same event turn share a call even without a pause.
        this.#timer = setTimeout(() => void this.#send(), milliseconds);
    }
    async #send() {
        const sessions = this.#sessions.splice(0, MAX_ENTRIES);
        const reports = this.#reports.splice(0, MAX_REPORTS);
        this.#isSending = true;
        this.#dueAt = this.#sessions.length + this.#reports.length > 0 ? 0 : Number.POSITIVE_INFINITY;
        try {
            const answer = await this.#options.send(sessions.map(({ item }) => item), reports.map(({ item }) => item));
            this.#settle(sessions, reports, answer);
        }
        catch (error) {
            for (const { reject } of [...sessions, ...reports])
                reject(error);
        }
        this.#isSending = false;
        if (this.#dueAt < Number.POSITIVE_INFINITY)
            this.#setTimer();
    }
    #settle(sessions, reports, answer) {
        const lost = new Set(answer.lost);
        for (const { item, resolve } of sessions)
            resolve(!lost.has(item.lease_id));
        const [refused, undecided] = [new Set(answer.refused), new Set(answer.undecided)];
        for (const report of reports) {
            const { lease_id } = report.item;
            if (undecided.has(lease_id))
                this.#reports.push(report);
            else
                report.resolve(!refused.has(lease_id));
        }
        if (undecided.size > 0)
            this.#sendWithin(UNDECIDED_MS);
    }
}
//# sourceMappingURL=worker-updates.js.map