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
import { Deadline } from "../../../support/async/deadline.js";
import { EngineError, NotLoadedError } from "../../engine.js";
import { KeyRefusedError, NotServedError } from "../wire/errors.js";
const DEFAULT_WEIGHTS_SECONDS = 1800;
/** Returns the steps of a weight update on the servers of a pool. */
export function createServerUpdate(pool, control, { weightsTimeoutSeconds = DEFAULT_WEIGHTS_SECONDS }) {
    const find = (url) => {
        const server = pool.servers.find((each) => each.url === url);
        if (!server)
            throw new RangeError(`The engine has no server with the URL ${url}.`);
        return server;
    };
    const limited = async (caller, task) => {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const deadline = __addDisposableResource(env_1, new Deadline(caller, weightsTimeoutSeconds || undefined, () => tooSlow(weightsTimeoutSeconds)), false);
            await task(deadline.signal);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    };
    return {
        pause: (urls) => control.pauseEach("abort", urls),
        load: (url, weights, caller) => limited(caller, async (signal) => {
            await find(url).loadWeights(weights, signal).catch(refuseToLoad);
            pool.reportReached(url);
        }),
        finish: (url, version, caller) => limited(caller, async (signal) => {
            await find(url).flushCache(signal);
            await find(url).setWeightVersion(version, signal);
        }),
        resume: (urls) => control.resumeEach(urls),
        release: () => control.release(),
    };
}
/** A server that refuses the key or does not know the request has not changed anything. */
function refuseToLoad(error) {
    if (error instanceof KeyRefusedError || error instanceof NotServedError) {
        throw new NotLoadedError(error.code, error.message, { cause: error });
    }
    throw error;
}
function tooSlow(seconds) {
    const message = `The engine did not answer within ${seconds} seconds (engine.weights_timeout_seconds).`;
    return new EngineError("engine_timeout", message);
}
//# sourceMappingURL=server-update.js.map