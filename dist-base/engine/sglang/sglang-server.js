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
import { randomUUID } from "node:crypto";
import { onAbort } from "../../support/async/on-abort.js";
import { sleep } from "../../support/async/sleep.js";
import { EngineError } from "../engine.js";
import { StopReached } from "../servers/call/stop-watch.js";
import { ServerConnections } from "../servers/wire/connections.js";
import { postControl, postUpdate, postUpdateIfServed, requireHealthy } from "../servers/wire/control-requests.js";
import { KeyRefusedError, NotServedError } from "../servers/wire/errors.js";
import { generateOnce } from "../servers/wire/generate-once.js";
import { jsonObject, versionNumber } from "../servers/wire/json.js";
import { requestBody } from "../servers/wire/request-body.js";
import { askContextLength } from "./context-length.js";
import { REQUEST_PREFIX, requestSuffix } from "./request-fields.js";
import { StrictThinking } from "./strict-thinking.js";
/** Time limit of a pause, which returns after the last running generation was cut. */
const PAUSE_MS = 60_000;
/** Pauses before the caches are flushed again. SGLang refuses while the last cut generations are being returned. */
const FLUSH_PAUSES_MS = [50, 200, 500, 1000, 2000];
/** Time limit of the request for the weight version. It is short, because a call waits for it. */
const VERSION_MS = 2_000;
/**
 * Endpoints that show whether the server answers: the current name, an older name, and the name on routers. A server's own
 * `/health` generates a token by default, so it takes a second, waits during a pause and fails during a long prompt.
 */
const HEALTH_PATHS = ["model_info", "get_model_info", "health"];
/** The scheduler answers this one between two steps of the model, and also while it is paused. */
const SCHEDULER_PATH = "server_info";
/** One SGLang server, or a router in front of several. */
export class SglangServer {
    url;
    /** SGLang does not report SGLANG_RETURN_ORIGINAL_LOGPROB, so its default is assumed. */
    logprobs = "temperature";
    #connections;
    #strictThinking;
    #onWarning;
    /** The last abort was refused, and a warning was logged. */
    #abortsRefused = false;
    constructor(url, options) {
        this.url = url;
        this.#connections = new ServerConnections(url, options.maxInflight, options);
        this.#strictThinking = new StrictThinking(this.#connections);
        this.#onWarning = options.onWarning;
    }
    async request(call, signal) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { generation, sampling } = call;
            const rid = randomUUID().replaceAll("-", "");
            const thinkingBudget = sampling.thinkingBudget === undefined ? undefined : await this.#chooseBudget(call);
            const stream = call.onTokens !== undefined;
            const suffix = requestSuffix({ sampling, tokens: generation.length, thinkingBudget, rid, stream });
            const { body, onSent } = await requestBody(call, REQUEST_PREFIX, suffix);
            signal.throwIfAborted();
            // Without an abort request, a server needs seconds to notice that the connection is closed.
            const abort = () => void this.#abort(rid);
            const _listening = __addDisposableResource(env_1, onAbort(signal, abort), false);
            try {
                return await generateOnce(this.#connections, call, { path: "generate", body, onSent, format: "sglang" }, signal);
            }
            catch (error) {
                if (error instanceof StopReached)
                    abort();
                throw error;
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
    /**
     * Returns the budget for the reasoning that the server enforces. It counts from the first token of a request, so it cannot
     * continue a count after a cut. Under a grammar it would apply the grammar only behind the reasoning.
     */
    async #chooseBudget({ sampling, generation, onBudgetIgnored }) {
        const { thinkingBudget, grammar } = sampling;
        if (generation.length === 0 && grammar === undefined && (await this.#strictThinking.ask()))
            return thinkingBudget;
        onBudgetIgnored?.();
        return undefined;
    }
    /** Sends an abort. Callers do not wait for it, because the generation's connection is closed anyway. */
    async #abort(rid) {
        try {
            const { status } = await this.#connections.control({
                method: "POST",
                path: "abort_request",
                body: { rid },
                admin: true,
            });
            if (status !== 200)
                this.#warnOfRefusal(status);
            this.#abortsRefused = status !== 200;
        }
        catch {
            // The next request notices that the server is unreachable.
        }
    }
    /** Warns once until an abort succeeds; otherwise every client that disconnects would repeat the warning. */
    #warnOfRefusal(status) {
        if (this.#abortsRefused)
            return;
        const { origin } = new URL(this.url);
        this.#onWarning?.(`The engine at ${origin} refused to abort a generation (HTTP ${status}). The generation continues until the engine ` +
            "notices the closed connection. If the server was started with --admin-api-key, set engine.admin_api_key.");
    }
    async findLogprobs() {
        return this.logprobs;
    }
    contextLength() {
        return askContextLength(this.#connections);
    }
    async weightUpdate() {
        const answer = await this.#connections.get("model_info", AbortSignal.timeout(VERSION_MS)).catch(() => undefined);
        return answer?.status === 200 ? { version: versionNumber(jsonObject(answer.body)["weight_version"]) } : {};
    }
    health(signal) {
        return requireHealthy(this.#connections, HEALTH_PATHS, signal);
    }
    /** Any status counts as an answer, for example a router's 404 or a refused key. */
    async schedulerHealth(signal) {
        await this.#connections.get(SCHEDULER_PATH, signal);
    }
    pause(mode) {
        const body = { mode: mode === "keep" ? "in_place" : "abort" };
        return postControl(this.#connections, {
            path: "pause_generation",
            body,
            admin: true,
            timeoutMilliseconds: PAUSE_MS,
        });
    }
    resume() {
        return postControl(this.#connections, { path: "continue_generation", body: {}, admin: true });
    }
    /** `keep_pause` keeps the scheduler paused afterwards. Older servers ignore it and never resume on their own. */
    loadWeights({ path, version }, signal) {
        const body = {
            model_path: path,
            weight_version: String(version),
            abort_all_requests: false,
            keep_pause: true,
            flush_cache: false,
        };
        return postUpdate(this.#connections, { path: "update_weights_from_disk", body, admin: true, signal });
    }
    async flushCache(signal) {
        for (const pause of FLUSH_PAUSES_MS) {
            try {
                return await this.#flush(signal);
            }
            catch (error) {
                if (!isBusy(error))
                    throw error;
                await sleep(pause, signal);
            }
        }
        await this.#flush(signal);
    }
    #flush(signal) {
        return postUpdate(this.#connections, { path: "flush_cache", admin: true, signal });
    }
    /** Without `abort_all_requests`, SGLang would abort all requests. */
    setWeightVersion(version, signal) {
        const body = { new_version: String(version), abort_all_requests: false };
        return postUpdateIfServed(this.#connections, { path: "update_weight_version", body, admin: true, signal });
    }
    close() {
        return this.#connections.close();
    }
}
/** Returns true for a refusal that may have passed in a moment. */
function isBusy(error) {
    const isLasting = error instanceof NotServedError || error instanceof KeyRefusedError;
    return error instanceof EngineError && error.code === "engine_error" && !isLasting;
}
//# sourceMappingURL=sglang-server.js.map