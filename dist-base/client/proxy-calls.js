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
import { Readable } from "node:stream";
import { z } from "zod";
import { Deadline } from "../support/async/deadline.js";
import { sleep } from "../support/async/sleep.js";
import { ProxyError } from "./errors.js";
/** A gateway waits 30 s for a worker that left, by default. Its answer must come before the client gives up. */
const DEFAULT_TIMEOUT_SECONDS = 60;
/** Pauses before an idempotent call is sent again. */
const PAUSES_MS = [50, 250, 1000];
/**
 * Pauses before a call is sent again because a worker is unavailable. With four answers of a gateway, they take less than 30 s, or
 * less than 60 s if the gateway also waits for the worker to come back.
 */
const UNAVAILABLE_PAUSES_MS = [500, 1500, 5000];
const errorBody = z.object({
    error: z.looseObject({
        message: z.string(),
        code: z.string(),
        param: z.string().nullish(),
        type: z.string().optional(),
    }),
});
/** Sends calls with one key. Requests are JSON, answers JSON or bytes. Errors become a {@link ProxyError}. */
export class ProxyCalls {
    #transport;
    #key;
    constructor(transport, key) {
        this.#transport = transport;
        this.#key = key;
    }
    async json(call, reply) {
        const bytes = await this.bytes(call);
        const parsed = reply.safeParse(parseJson(bytes));
        if (parsed.success)
            return parsed.data;
        const message = `${call.path} gave an answer that cannot come from a proxy: ${z.prettifyError(parsed.error)}`;
        throw new ProxyError("invalid_reply", message, { cause: parsed.error });
    }
    async bytes(call) {
        return (await this.reply(call)).body;
    }
    /** Returns the whole answer of a call that succeeded. */
    reply(call) {
        return this.#run(call, async (request) => {
            const reply = await this.#transport.send(call.path, request);
            return reply.status < 300 ? { value: reply } : { refusal: reply };
        });
    }
    /**
     * Hands over the answer of a call that succeeded while it arrives. If `receive` rejects, the connection counts as broken: an
     * idempotent call is sent again, and `receive` is called with the next answer.
     */
    receive(call, receive) {
        return this.#run(call, async (request) => {
            const reply = await this.#open(call.path, request);
            try {
                if (reply.status < 300)
                    return { value: await receive(reply) };
                return { refusal: { status: reply.status, body: await readAll(reply.body) } };
            }
            finally {
                reply.body.destroy();
            }
        });
    }
    async #open(path, request) {
        if (this.#transport.open)
            return this.#transport.open(path, request);
        const { body, ...reply } = await this.#transport.send(path, request);
        return { ...reply, body: Readable.from([body], { objectMode: false }) };
    }
    /** Sends a call until it is answered, within its time. */
    async #run(call, send) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const seconds = call.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
            const expired = () => new ProxyError("request_timed_out", `${call.path} did not answer within ${seconds} seconds.`);
            const deadline = __addDisposableResource(env_1, new Deadline(call.signal, seconds, expired), false);
            for (const pause of call.repeatIfUnavailable ? UNAVAILABLE_PAUSES_MS : []) {
                try {
                    return await this.#runOnce(call, deadline.signal, send);
                }
                catch (error) {
                    if (!(error instanceof ProxyError) || error.code !== "worker_unavailable")
                        throw error;
                    await sleep(pause, deadline.signal);
                }
            }
            return await this.#runOnce(call, deadline.signal, send);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    async #runOnce(call, signal, send) {
        const answer = await this.#sendRepeatedly(call, signal, send);
        if ("value" in answer)
            return answer.value;
        throw toProxyError(call.path, answer.refusal.status, answer.refusal.body);
    }
    async #sendRepeatedly(call, signal, send) {
        const request = this.#toRequest(call, signal);
        for (const pause of call.idempotent ? PAUSES_MS : []) {
            try {
                return await send(request);
            }
            catch (error) {
                signal.throwIfAborted();
                // The receiver of an answer refused it. The next answer would be the same.
                if (error instanceof ProxyError)
                    throw error;
                await sleep(pause, signal);
            }
        }
        try {
            return await send(request);
        }
        catch (error) {
            signal.throwIfAborted();
            if (error instanceof ProxyError)
                throw error;
            const why = error instanceof Error ? error.message : String(error);
            throw new ProxyError("connection_failed", `${call.path} got no answer: ${why}`, { cause: error });
        }
    }
    #toRequest({ method = "POST", body }, signal) {
        const authorization = `Bearer ${this.#key}`;
        if (method !== "POST")
            return { method, headers: { authorization }, signal };
        const headers = { authorization, "content-type": "application/json" };
        return { method, headers, body: JSON.stringify(body ?? {}), signal };
    }
}
async function readAll(chunks) {
    const all = [];
    for await (const chunk of chunks)
        all.push(chunk);
    return Buffer.concat(all);
}
function toProxyError(path, status, bytes) {
    const parsed = errorBody.safeParse(parseJson(bytes));
    if (!parsed.success)
        return new ProxyError("invalid_reply", `${path} answered ${status} without a proxy's error body.`, { status });
    const { message, code, param, type: _, ...details } = parsed.data.error;
    return new ProxyError(code, message, { status, param: param ?? undefined, details });
}
function parseJson(bytes) {
    try {
        return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=proxy-calls.js.map