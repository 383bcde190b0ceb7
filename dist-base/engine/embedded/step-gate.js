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
import { FairQueue } from "../../support/async/fair-queue.js";
/**
 * Admits the steps in which calls compute: the evaluation of some prompt tokens, or of one output token. During a pause, calls
 * wait between two steps.
 */
export class StepGate {
    #held = new FairQueue();
    #pausing = [];
    #running = 0;
    #paused = false;
    #closed;
    get paused() {
        return this.#paused;
    }
    /**
     * Runs one step, after the end of a pause. The pause does not count for the deadline.
     *
     * @param step may rely on its synchronous beginning: no pause began or ended since it was admitted
     */
    async run(deadline, step) {
        // No `await` may follow this loop, or a pause could begin between the check and the step.
        while (this.#paused && !this.#closed) {
            const env_1 = { stack: [], error: void 0, hasError: false };
            try {
                const _stopped = __addDisposableResource(env_1, deadline.stopClock(), false);
                await this.#held.wait("", deadline.signal);
            }
            catch (e_1) {
                env_1.error = e_1;
                env_1.hasError = true;
            }
            finally {
                __disposeResources(env_1);
            }
        }
        deadline.signal.throwIfAborted();
        if (this.#closed)
            throw this.#closed.reason;
        this.#running++;
        try {
            return await step();
        }
        finally {
            this.#running--;
            if (this.#running === 0)
                this.#notify();
        }
    }
    /** Admits no more steps. Resolves when none runs, or when {@link resume} ended the pause early. */
    async pause() {
        this.#paused = true;
        while (this.#paused && this.#running > 0)
            await new Promise((resolve) => this.#pausing.push(resolve));
    }
    resume() {
        this.#paused = false;
        this.#held.serveAll();
        this.#notify();
    }
    /** Fails waiting and later steps with `reason`. */
    close(reason) {
        this.#closed = { reason };
        this.#held.rejectAll(reason);
    }
    #notify() {
        for (const resolve of this.#pausing.splice(0))
            resolve();
    }
}
//# sourceMappingURL=step-gate.js.map