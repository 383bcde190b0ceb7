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
import { ProxyError } from "../../client/errors.js";
import { failedWeights } from "../../client/weight-calls.js";
import { readEnvironmentKey } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { isHttpUrl } from "../../rollout/http-url.js";
import { makeInert } from "../../support/inert-text.js";
import { WeightsCommandError } from "../weights/errors.js";
import { WeightsProgress } from "../weights/progress.js";
/** `rolltape weights`: loads new weights into the engine of a proxy or gateway, and shows the progress. */
export async function weights(url, path, options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        if (!isHttpUrl(url)) {
            throw invalid(`The first argument must be the URL of a proxy, such as http://127.0.0.1:8090; received ${url}.`);
        }
        const run = chooseCall(path, options);
        const adminKey = readEnvironmentKey(process.env);
        if (!adminKey)
            throw invalid("ROLLTAPE_ADMIN_API_KEY must be set to the admin key of the proxy.");
        const proxy = __addDisposableResource(env_1, connectProxy({ url, adminKey }), true);
        const progress = new WeightsProgress(process.stderr);
        try {
            const status = await run(proxy.admin, { exclude: options.exclude, onProgress: (each) => progress.show(each) });
            progress.clear();
            print(status, options);
        }
        catch (error) {
            progress.clear();
            const failed = failedWeights(error);
            // As text, the reason is printed once: by the error.
            if (failed)
                print(options.json ? failed : { ...failed, error: null }, options);
            throw withHint(error);
        }
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
function withHint(error) {
    if (!(error instanceof ProxyError) || error.status !== 401)
        return error;
    const message = `${error.message} ROLLTAPE_ADMIN_API_KEY must be the admin key of the proxy.`;
    return new ProxyError(error.code, message, { status: error.status, cause: error });
}
function print(status, { json }) {
    process.stdout.write(json ? `${JSON.stringify(status)}\n` : describeWeights(status));
}
/** @throws WeightsCommandError if the options do not describe one call */
function chooseCall(path, options) {
    const { version, external = false, finish = false, giveUp = false, status = false } = options;
    const chosen = [path !== undefined, external, finish, giveUp, status].filter(Boolean).length;
    if (chosen !== 1)
        throw invalid("Expected one of PATH, --external, --finish, --give-up and --status.");
    if (status)
        return (admin) => admin.weights();
    if (giveUp)
        return (admin) => admin.abandonWeights();
    if (version === undefined)
        throw invalid("--version must be set to the version of the new weights.");
    if (finish)
        return (admin, more) => admin.finishWeights(version, more);
    if (path !== undefined)
        return (admin, more) => admin.updateWeights({ version, path }, more);
    return (admin, more) => admin.updateWeights({ version, external: true }, more);
}
function invalid(message) {
    return new WeightsCommandError("invalid_arguments", message);
}
/** Returns what the command prints at its end. */
export function describeWeights({ state, version, targetVersion, pausedSeconds, error, servers, }) {
    const target = targetVersion === null ? "" : `, update to ${targetVersion}: ${state}`;
    const paused = pausedSeconds === null ? "" : `, calls held for ${pausedSeconds.toFixed(3)} s`;
    const lines = servers.map((server) => {
        const seconds = server.seconds === null ? "" : ` in ${server.seconds.toFixed(3)} s`;
        const problem = server.error === null ? "" : `: ${makeInert(server.error)}`;
        return `  ${makeInert(server.url)}  version ${server.version ?? "unknown"}, ${server.state}${seconds}${problem}\n`;
    });
    const problem = error === null ? "" : `  ${makeInert(error)}\n`;
    return `version ${version}${target}${paused}\n${problem}${lines.join("")}`;
}
//# sourceMappingURL=weights.js.map