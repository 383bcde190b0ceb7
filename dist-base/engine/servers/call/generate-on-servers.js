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
import { sleep } from "../../../support/async/sleep.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import { NotStartedError } from "../wire/errors.js";
import { CutWatch } from "./cut-watch.js";
import { OutputSoFar } from "./output-so-far.js";
import { checkReply, readFinish } from "./read-finish.js";
import { Restarts } from "./restarts.js";
import { StopReached } from "./stop-watch.js";
/**
 * Runs one call, with one more request after each weight update that cuts it. The next request continues from prompt and
 * partial output with the rest of the token budget, on another server if the first one is drained.
 *
 * Servers apply penalties to the output of one request. Tokens before a cut are prompt for the next request, so
 * penalties ignore them.
 *
 * @param deadline time limit of the whole call. It also aborts with the caller's signal.
 */
export async function generateOnServers(pool, hold, call, deadline) {
    const output = new OutputSoFar(call);
    const restarts = new Restarts();
    for (let resumes = 0;; resumes++) {
        const { reply, server, watch, milliseconds } = await request({ pool, hold, call, output, deadline });
        output.add(reply, server);
        const finish = readFinish(reply, call);
        if (finish)
            return output.result(finish, resumes);
        const cause = await watch.findCause(reply.finish ?? { type: "abort" }, server);
        output.prepareResume();
        await restarts.wait(cause, milliseconds, deadline);
    }
}
/** Sends the rest of the call to one server after another until one of them begins it. Sends nothing during a pause. */
async function request({ pool, hold, call, output, deadline }) {
    const { stops } = output;
    let route = pool.route(call.affinityKey);
    for (;;) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            await hold.pass(deadline);
            const lease = __addDisposableResource(env_1, await route.next(deadline), false);
            if (lease && hold.mode !== undefined) {
                // A pause began while the call waited for a place. Give the place back, and route the call again after the pause.
                route = pool.route(call.affinityKey);
                continue;
            }
            if (!lease) {
                await waitForRetry(route, deadline);
                route = pool.route(call.affinityKey);
                continue;
            }
            const { server } = lease;
            const inputTokens = call.prompt.length + call.generation.length;
            const watch = new CutWatch(hold, call);
            const startedAt = Date.now();
            try {
                const reply = await send(lease, call, stops, deadline);
                const milliseconds = Date.now() - startedAt;
                deadline.throwIfAborted();
                checkReply(reply, inputTokens);
                await learnLogprobs(server, call, reply, deadline);
                lease.complete();
                return { reply: applyStop(reply, stops), server, watch, milliseconds };
            }
            catch (error) {
                lease.fail(error, deadline);
                route.refuse(error);
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
/** Called when every server has refused. Waits if one of them named a time to retry; otherwise throws the refusal. */
async function waitForRetry({ refusal }, signal) {
    const retryAfter = refusal instanceof NotStartedError ? refusal.retryAfterMilliseconds : undefined;
    if (retryAfter === undefined)
        throw refusal;
    await sleep(retryAfter, signal);
}
/** Sends the request. In a streamed reply, a stop string that the server did not find ends the request early. */
function send(lease, call, stops, signal) {
    const from = call.generation.length;
    const received = () => {
        lease.noteProgress();
        const cut = stops?.read() ?? false;
        call.onTokens?.();
        if (cut)
            throw new StopReached();
    };
    const serverCall = {
        prompt: call.prompt,
        promptText: call.promptText,
        generation: call.generation,
        sampling: call.sampling,
        affinityKey: call.affinityKey,
        currentVersion: call.currentVersion,
        onTokens: call.onTokens,
        tokenBytes: call.tokenBytes,
        onBudgetIgnored: call.onBudgetIgnored,
        signal: call.signal,
        received,
    };
    return lease.server.request(serverCall, signal).catch((error) => {
        if (!(error instanceof StopReached))
            throw error;
        return { tokens: call.generation.length - from };
    });
}
/**
 * Waits until it is known what the server's log probabilities include, or until the call ends; never rejects. A server
 * that cut the generation is not asked: it is being updated and would not answer.
 */
async function learnLogprobs(server, call, { finish }, signal) {
    if (server.logprobs !== undefined || finish?.type === "abort")
        return;
    await untilAborted(server.findLogprobs(call), signal).catch(() => undefined);
}
/** Sets the finish reason if a stop string was found here: the server's own applies to tokens that were removed. */
function applyStop(reply, stops) {
    const matched = stops?.matched;
    if (matched === undefined || reply.finish?.type === "stop")
        return reply;
    return { ...reply, finish: { type: "stop", matched } };
}
//# sourceMappingURL=generate-on-servers.js.map