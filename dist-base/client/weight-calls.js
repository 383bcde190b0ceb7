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
import { z } from "zod";
import { Deadline } from "../support/async/deadline.js";
import { sleep } from "../support/async/sleep.js";
import { ProxyError } from "./errors.js";
const PATH = "/rl/weights";
/** Longest time for which the proxy holds its answer. After that, the update is polled. */
const WAIT_SECONDS = 20;
/** Added to the wait, because a gateway first reads all its workers. */
const CALL_SECONDS = WAIT_SECONDS + 40;
/** Loading a large model takes minutes on each server. */
const UPDATE_SECONDS = 3600;
const POLL_MS = 1_000;
const PROGRESS_MS = 250;
const version = z.int();
const serverReply = z.object({
    url: z.string(),
    version: version.nullable(),
    state: z.enum(["pending", "loading", "loaded", "failed", "excluded"]),
    seconds: z.number().nullable(),
    error: z.string().nullable(),
});
const statusReply = z
    .object({
    state: z.enum(["idle", "pausing", "loading", "external", "resuming", "failed"]),
    version,
    target_version: version.nullable(),
    mode: z.enum(["path", "external"]).nullable(),
    path: z.string().nullable(),
    started_at: z.number().nullable(),
    paused_seconds: z.number().nullable(),
    error: z.string().nullable(),
    servers: z.array(serverReply),
})
    .transform(({ target_version, started_at, paused_seconds, ...status }) => {
    return { ...status, targetVersion: target_version, startedAt: started_at, pausedSeconds: paused_seconds };
});
/** The calls of a weight update. An update goes on if the caller stops waiting for it. */
export class WeightCalls {
    #calls;
    constructor(calls) {
        this.#calls = calls;
    }
    status(options = {}) {
        return this.#calls.json({ method: "GET", path: PATH, idempotent: true, ...options }, statusReply);
    }
    update(weights, options) {
        const target = "path" in weights ? { path: weights.path } : { mode: "external" };
        return this.#run(PATH, { version: weights.version, ...target }, options);
    }
    finish(version, options) {
        return this.#run(`${PATH}/finish`, { version }, options);
    }
    giveUp(options) {
        const call = {
            method: "DELETE",
            path: PATH,
            idempotent: true,
            timeoutSeconds: 2 * CALL_SECONDS,
            ...options,
        };
        return this.#calls.json(call, statusReply).catch((error) => {
            throw readFailure(error);
        });
    }
    /** Makes a call that begins or joins the update, and waits until the update stops running. */
    async #run(path, body, { exclude, onProgress, ...options }) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { timeoutSeconds = UPDATE_SECONDS } = options;
            const expired = () => new ProxyError("request_timed_out", `The weight update took more than ${timeoutSeconds} seconds. It goes on.`);
            const deadline = __addDisposableResource(env_1, new Deadline(options.signal, timeoutSeconds, expired), false);
            const { signal } = deadline;
            const wait_seconds = onProgress ? 0 : Math.min(WAIT_SECONDS, timeoutSeconds);
            const call = {
                path,
                body: { ...body, exclude, wait_seconds },
                idempotent: true,
                signal,
                timeoutSeconds: CALL_SECONDS,
            };
            let status = await this.#calls.json(call, statusReply).catch((error) => {
                throw readFailure(error);
            });
            for (;;) {
                onProgress?.(status);
                if (status.state === "failed" || status.error !== null)
                    throw failedError(status);
                if (status.state === "idle" || status.state === "external")
                    return status;
                await sleep(onProgress ? PROGRESS_MS : POLL_MS, signal);
                status = await this.status({ signal });
            }
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
}
/** Returns the weights in an error of {@link WeightCalls.update} or {@link WeightCalls.finish}; undefined for other errors. */
export function failedWeights(error) {
    if (!(error instanceof ProxyError) || error.code !== "weights_failed")
        return undefined;
    return error.details["weights"];
}
/** Returns an error of the proxy with its record in the form of this client. */
function readFailure(error) {
    if (!(error instanceof ProxyError) || error.code !== "weights_failed")
        return error;
    const { success, data } = statusReply.safeParse(error.details["weights"]);
    const details = success ? { weights: data } : {};
    return new ProxyError(error.code, error.message, { status: error.status, details, cause: error });
}
function failedError(status) {
    const message = `The weight update failed. ${status.error ?? ""}`;
    return new ProxyError("weights_failed", message, { status: 502, details: { weights: status } });
}
//# sourceMappingURL=weight-calls.js.map