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
import { startCallDeadline } from "../call-deadline.js";
import { generateOnServers } from "./call/generate-on-servers.js";
import { PauseControl } from "./pause/pause-control.js";
import { createServerUpdate } from "./pause/server-update.js";
import { ServerPool } from "./pool/server-pool.js";
import { checkServerOptions } from "./server-options.js";
const DEFAULT_HEALTH_SECONDS = 10;
/** An engine that consists of servers of one type. */
export class ServedEngine {
    type;
    supports;
    servers;
    effectiveTemperature;
    #options;
    #pool;
    #pause;
    #contextLength;
    /** @throws RangeError if an option is out of range, TypeError if an address is not a URL. */
    constructor({ type, supports, effectiveTemperature }, options, makeServer) {
        checkServerOptions(options);
        const { urls, maxInflight, healthSeconds = DEFAULT_HEALTH_SECONDS } = options;
        this.type = type;
        this.supports = supports;
        this.effectiveTemperature = effectiveTemperature;
        this.#options = options;
        this.#pool = new ServerPool(urls.map(makeServer), { maxInflight, healthMilliseconds: healthSeconds * 1000 });
        const pause = new PauseControl(this.#pool);
        this.#pause = pause;
        this.servers = {
            readiness: (signal) => this.#pool.readiness((server) => this.#requireModel(server), signal),
            list: () => this.#pool.list(),
            get paused() {
                return pause.hold.mode;
            },
            pause: (mode, urls) => pause.pause(mode, urls),
            resume: (options) => pause.resume(options),
            drain: (url, signal) => this.#pool.drain(url, signal),
            restore: (url) => this.#pool.restore(url),
            update: createServerUpdate(this.#pool, pause, options),
        };
    }
    /** Returns the shortest context length of all servers. They are asked once, and again if one did not answer. */
    contextLength() {
        this.#contextLength ??= this.#askContextLength();
        return this.#contextLength;
    }
    async #askContextLength() {
        if (this.#options.contextLength !== undefined)
            return this.#options.contextLength;
        const answers = await this.#pool.ask((server) => server.contextLength());
        const lengths = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
        const refused = answers.find((answer) => answer.status === "rejected");
        if (refused)
            this.#contextLength = undefined;
        if (refused && lengths.length === 0)
            throw refused.reason;
        return Math.min(...lengths);
    }
    async #requireModel(server) {
        await server.requireModel?.();
        if (this.#options.contextLength === undefined)
            await server.contextLength();
    }
    async generate(call) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const deadline = __addDisposableResource(env_1, startCallDeadline(call.signal, this.#options.timeoutSeconds, () => this.#pause.hold.mode !== undefined), false);
            return await generateOnServers(this.#pool, this.#pause.hold, call, deadline);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    health(signal) {
        return this.#pool.health(signal);
    }
    close() {
        return this.#pool.close();
    }
}
//# sourceMappingURL=served-engine.js.map