import { onAbort } from "../support/async/on-abort.js";
/** Requests of workers for tasks. */
export class LeaseRequests {
    #serve;
    /** The waiting request of each worker. A worker has one at a time. */
    #waiting = new Map();
    /** Requests that take the tasks that are there. */
    #taking = [];
    #waking = false;
    constructor(serve) {
        this.#serve = serve;
    }
    get size() {
        return this.#waiting.size;
    }
    /** Resolves with tasks; with none after `milliseconds`, or if the worker sends another request. Rejects if the signal aborts. */
    wait(request, milliseconds, signal) {
        this.#waiting.get(request.workerId)?.answer([]);
        return new Promise((resolve, reject) => {
            if (signal.aborted)
                return reject(signal.reason);
            const settle = () => {
                clearTimeout(timer);
                listening[Symbol.dispose]();
                this.#waiting.delete(request.workerId);
            };
            const answer = (tasks) => {
                settle();
                resolve(tasks);
            };
            const timer = setTimeout(() => answer([]), milliseconds);
            const listening = onAbort(signal, () => {
                settle();
                reject(signal.reason);
            });
            this.#waiting.set(request.workerId, { ...request, answer });
            this.wake();
        });
    }
    /** Resolves with the tasks that are there at the end of this event turn. A request of the worker that waits goes on. */
    take(request) {
        const { workerId, maxHeld } = request;
        const waiting = this.#waiting.get(workerId);
        // The room that the waiting request was sent for may be filled by this one.
        if (waiting)
            this.#waiting.set(workerId, { ...waiting, maxHeld });
        return new Promise((answer) => {
            this.#taking.push({ ...request, answer });
            this.wake();
        });
    }
    /** Ends the requests of a worker: it gets no tasks. */
    cancel(workerId) {
        this.#waiting.get(workerId)?.answer([]);
        for (const request of this.#taking.filter((each) => each.workerId === workerId))
            request.answer([]);
        this.#taking = this.#taking.filter((each) => each.workerId !== workerId);
    }
    /** Serves the requests that wait, once all tasks of this event turn are there, so that they are shared fairly. */
    wake() {
        if (this.#waking)
            return;
        this.#waking = true;
        setImmediate(() => {
            this.#waking = false;
            const taking = this.#taking;
            this.#taking = [];
            for (const request of taking)
                request.answer(this.#serve(request) ?? []);
            for (const request of this.#waiting.values()) {
                const tasks = this.#serve(request);
                if (tasks)
                    request.answer(tasks);
            }
        });
    }
}
//# sourceMappingURL=lease-requests.js.map