var __addDisposableResource = (this && this.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (this && this.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
import { Deadline } from "../../support/async/deadline.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { SubprocError } from "./errors.js";
import { processError } from "./standard-error.js";
import { TaskNotTaken, WorkerProcess } from "./worker-process.js";
/**
 * A limited number of processes that run agents.
 *
 * Worker processes start when they are needed and are reused. A worker that crashed, was killed, or still has timers,
 * requests or processes of its agent is replaced for the next task.
 */
export class ProcessPool {
    #options;
    #slots;
    #workers = new Set();
    #closing = new AbortController();
    constructor(options) {
        this.#options = options;
        this.#slots = new Semaphore(options.maxWorkers);
    }
    /** Runs a task in a worker process that is idle. The process is killed when the signal aborts. */
    run(task, signal) {
        return this.occupy(signal, (taskSignal) => this.#runSomewhere(task, taskSignal));
    }
    /**
     * Waits for a free slot, then calls `work`, which may start one process. `taskSignal` aborts when the task is
     * aborted, exceeds its time, or the pool is closed.
     */
    async occupy(signal, work) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const stopSignal = AbortSignal.any([signal, this.#closing.signal]);
            const _slot = __addDisposableResource(env_1, await this.#slots.acquire(stopSignal), false);
            const { timeoutSeconds } = this.#options;
            const expired = () => new SubprocError("agent_timeout", `The agent's process was killed because it exceeded its limit of ${timeoutSeconds} seconds.`);
            const deadline = __addDisposableResource(env_1, new Deadline(stopSignal, timeoutSeconds, expired), false);
            return await work(deadline.signal);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    /** Kills the workers. Running and waiting tasks are rejected with `pool_closed`. */
    close() {
        this.#closing.abort(new SubprocError("pool_closed", "The pool of agent processes was closed."));
        for (const worker of this.#workers)
            worker.close();
        this.#workers.clear();
    }
    async [Symbol.asyncDispose]() {
        this.close();
    }
    /**
     * Runs a task in an idle or new process. If that process ended before it accepted the task, tries one new process.
     */
    async #runSomewhere(task, signal) {
        signal.throwIfAborted();
        try {
            return await this.#findIdle().run(task, signal);
        }
        catch (error) {
            if (!(error instanceof TaskNotTaken))
                throw error;
        }
        signal.throwIfAborted();
        try {
            return await this.#start().run(task, signal);
        }
        catch (error) {
            if (!(error instanceof TaskNotTaken))
                throw error;
            const sentence = `A worker process ended before it accepted a task: ${error.message}.`;
            throw processError("worker_start_failed", sentence, error.standardError);
        }
    }
    /** Returns an idle worker, or a new one. */
    #findIdle() {
        for (const worker of this.#workers) {
            if (worker.state === "idle")
                return worker;
            if (worker.state === "gone")
                this.#workers.delete(worker);
        }
        return this.#start();
    }
    #start() {
        const worker = new WorkerProcess(this.#options.nodeArguments);
        this.#workers.add(worker);
        return worker;
    }
}
//# sourceMappingURL=process-pool.js.map