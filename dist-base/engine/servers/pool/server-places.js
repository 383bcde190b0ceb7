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
import { FairQueue } from "../../../support/async/fair-queue.js";
/**
 * The places of one engine server. Each running request takes one. If all are taken, requests wait, and sessions take turns. So a
 * session with thousands of requests delays a request of another session only until a place becomes free.
 */
export class ServerPlaces {
    /** Requests that may run at once. */
    limit;
    #taken = 0;
    /** A waiter is served true if it gets a place, and false if it is sent away. */
    #queue = new FairQueue();
    constructor(limit) {
        this.limit = limit;
    }
    get waiting() {
        return this.#queue.length;
    }
    /** Takes a place if one is free. No place is free while requests wait, because a returned place goes to one of them. */
    tryTake() {
        if (this.#taken === this.limit)
            return false;
        this.#taken++;
        return true;
    }
    /**
     * Waits for a place. Stops the clock of the call's deadline meanwhile: the limit is for the engine's work, and calls must not
     * fail because a server is busy. Rejects with the deadline's reason if it aborts first.
     *
     * @returns false if the request was sent away
     */
    async wait(session, deadline) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const _stopped = __addDisposableResource(env_1, deadline.stopClock(), false);
            return await this.#queue.wait(session, deadline);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    /** Gives a place back. It goes directly to a waiting request, so that a later request cannot take it first. */
    giveBack() {
        if (!this.#queue.serve(true))
            this.#taken--;
    }
    /** Sends all waiting requests away, so that they are routed again. */
    sendAway() {
        this.#queue.serveAll(false);
    }
    /** Rejects all waiting requests. */
    close(reason) {
        this.#queue.rejectAll(reason);
    }
}
//# sourceMappingURL=server-places.js.map