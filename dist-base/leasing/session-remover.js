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
import { setMaxListeners } from "node:events";
import { backoffMilliseconds } from "../support/async/backoff.js";
import { Semaphore } from "../support/async/semaphore.js";
import { sleep } from "../support/async/sleep.js";
const CONCURRENCY = 8;
const PAUSES = { firstMilliseconds: 500, longestMilliseconds: 30_000 };
/** Deletes the sessions of runs that do not count. Repeats a deletion until the proxy answers it. */
export class SessionRemover {
    #options;
    #slots = new Semaphore(CONCURRENCY);
    #sessions = new Map();
    #leases = new Map();
    /** Aborts when {@link close} is called: leases then no longer wait to settle. */
    #closing = new AbortController();
    #stopping = new AbortController();
    constructor(options) {
        this.#options = options;
        // Thousands of deletions may listen to these signals. Node would warn of a leak.
        setMaxListeners(Number.POSITIVE_INFINITY, this.#closing.signal, this.#stopping.signal);
    }
    /** Number of sessions that are not deleted yet. */
    get pending() {
        return this.#sessions.size;
    }
    add(sessionIds) {
        const { remove, onRemoved } = this.#options;
        for (const id of sessionIds) {
            this.#begin(this.#sessions, id, () => this.#repeat(() => remove(id), () => onRemoved?.(id)));
        }
    }
    /** Deletes the active sessions of lost leases: also those that their workers did not announce. */
    addLeases(leaseIds) {
        const { removeLease, onLeaseRemoved, settleMilliseconds = 2000 } = this.#options;
        for (const id of leaseIds) {
            this.#begin(this.#leases, id, async () => {
                await sleep(settleMilliseconds, this.#closing.signal).catch(() => undefined);
                await this.#repeat(() => removeLease(id), () => onLeaseRemoved?.(id));
            });
        }
    }
    /** Waits for all deletions, at most for `seconds`. Those that are left are given up. */
    async close(seconds) {
        this.#closing.abort();
        const timer = setTimeout(() => this.#stopping.abort(), seconds * 1000);
        await Promise.all([...this.#sessions.values(), ...this.#leases.values()]);
        clearTimeout(timer);
        this.#stopping.abort();
    }
    #begin(pending, id, work) {
        if (pending.has(id) || this.#stopping.signal.aborted)
            return;
        pending.set(id, work().finally(() => pending.delete(id)));
    }
    async #repeat(remove, onRemoved) {
        const { signal } = this.#stopping;
        for (let earlier = 0; !signal.aborted; earlier++) {
            try {
                const env_1 = { stack: [], error: void 0, hasError: false };
                try {
                    const _slot = __addDisposableResource(env_1, await this.#slots.acquire(signal), false);
                    await remove();
                    onRemoved();
                    return;
                }
                catch (e_1) {
                    env_1.error = e_1;
                    env_1.hasError = true;
                }
                finally {
                    __disposeResources(env_1);
                }
            }
            catch {
                await sleep(backoffMilliseconds(earlier, PAUSES), signal).catch(() => undefined);
            }
        }
    }
}
//# sourceMappingURL=session-remover.js.map