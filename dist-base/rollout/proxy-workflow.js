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
import { AdminClient } from "../client/admin-client.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import { Deadline } from "../support/async/deadline.js";
import { Episode } from "./episode.js";
import { isHttpUrl } from "./http-url.js";
import { Rejection } from "./rejection.js";
import { invalidOption } from "./workflow-error.js";
/**
 * Runs an agent whose model calls go through a proxy, with one session per episode. The session ends in every case. The
 * data of a rejected episode is freed.
 */
export class ProxyWorkflow {
    agent;
    #options;
    #url;
    /** @throws WorkflowError `invalid_option` if an option is out of its range */
    constructor(agent, options = {}) {
        checkOptions(options);
        this.agent = agent;
        this.#options = options;
        this.#url = options.proxyUrl && proxyUrl(options.proxyUrl);
    }
    async arunEpisode(engine, data, options = {}) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { groupId } = options;
            const url = this.#url ?? engine.url;
            const admin = new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey);
            const deadline = __addDisposableResource(env_1, new Deadline(options.signal, this.#options.timeoutSeconds, () => this.#expired()), false);
            const { signal } = deadline;
            const episode = new Episode({ ...this.#options, ...options, admin, url, connections: engine.connections, signal });
            try {
                return { accepted: [await episode.run(this.agent, data)], rejected: [] };
            }
            catch (error) {
                const reason = Rejection.from("export_failed", error);
                await episode.discard();
                return { accepted: [], rejected: [{ sessionId: episode.sessionId, groupId, reason }] };
            }
            finally {
                // Requests that the agent left running are aborted with its episode.
                deadline.abort(new Rejection("episode_aborted", "The episode is over."));
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
    #expired() {
        return new Rejection("episode_timeout", `The episode exceeded its limit of ${this.#options.timeoutSeconds} seconds.`);
    }
}
function checkOptions({ discount = 1, style = "individual", concatReward = "leaf", onMismatch = "error", rewardScope = "interaction", filters = {}, timeoutSeconds, proxyUrl: url, }) {
    if (typeof discount !== "number" || !(discount >= 0 && discount <= 1))
        throw invalidOption("discount", discount, "a number from 0 to 1");
    if (style !== "individual" && style !== "concat")
        throw invalidOption("style", style, "individual or concat");
    if (concatReward !== "leaf" && concatReward !== "return") {
        throw invalidOption("concatReward", concatReward, "leaf or return");
    }
    if (concatReward === "return" && style !== "concat") {
        throw invalidOption("concatReward", concatReward, "leaf, because rows of style individual have one turn each");
    }
    if (onMismatch !== "error" && onMismatch !== "split") {
        throw invalidOption("onMismatch", onMismatch, "error or split");
    }
    if (rewardScope !== "interaction" && rewardScope !== "session") {
        throw invalidOption("rewardScope", rewardScope, "interaction or session");
    }
    checkFilters(filters);
    if (timeoutSeconds !== undefined && !(timeoutSeconds > 0)) {
        throw invalidOption("timeoutSeconds", timeoutSeconds, "a number of seconds above 0");
    }
    if (url !== undefined && !isHttpUrl(url))
        throw invalidOption("proxyUrl", url, "an http or https URL");
}
function checkFilters({ models, excludeModels, tags, roots = "all" }) {
    for (const [name, patterns] of Object.entries({ models, excludeModels, tags })) {
        const isList = Array.isArray(patterns) && patterns.length > 0 && patterns.every((each) => typeof each === "string");
        if (patterns !== undefined && !isList)
            throw invalidOption(`filters.${name}`, patterns, "a list of at least one text");
    }
    if (roots !== "all" && roots !== "rewarded")
        throw invalidOption("filters.roots", roots, "all or rewarded");
}
//# sourceMappingURL=proxy-workflow.js.map