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
import { AdminClient } from "../client/admin-client.js";
import { HttpTransport } from "../client/transport.js";
import { Deadline } from "../support/async/deadline.js";
import { runWorkflow } from "./episode-result.js";
import { Rejection } from "./rejection.js";
import { invalidOption } from "./workflow-error.js";
/** Runs a workflow several times on the same data. The sessions share a `group_id`. */
export class GroupedWorkflow {
    workflow;
    groupSize;
    #drop;
    constructor(workflow, groupSize, options = {}) {
        if (!Number.isInteger(groupSize) || groupSize < 1)
            throw invalidOption("groupSize", groupSize, "a positive integer");
        this.workflow = workflow;
        this.groupSize = groupSize;
        this.#drop = options.dropIncompleteGroup ?? true;
    }
    /** Resolves when every member has ended. The result lists members in the order of their start. */
    async arunEpisode(engine, data, options = {}) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const groupId = options.groupId ?? `group-${randomUUID()}`;
            const siblings = __addDisposableResource(env_1, new Deadline(options.signal, undefined, () => new Error("no limit")), false);
            const member = async () => {
                const result = await runWorkflow(this.workflow, engine, data, { ...options, groupId, signal: siblings.signal });
                if (this.#drop && result.rejected.length > 0)
                    siblings.abort(incomplete());
                return result;
            };
            const results = await Promise.all(Array.from({ length: this.groupSize }, member));
            const accepted = results.flatMap((result) => result.accepted);
            const rejected = results.flatMap((result) => result.rejected);
            if (!this.#drop || rejected.length === 0)
                return { accepted, rejected };
            if (options.rejectedSessions !== "keep")
                await freeSessions(engine, accepted);
            return {
                accepted: [],
                rejected: results.flatMap(({ accepted, rejected }) => [...accepted.map(drop), ...rejected]),
            };
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
function incomplete() {
    return new Rejection("group_incomplete", "Another member of the group was rejected.");
}
function drop({ sessionId, groupId }) {
    return { sessionId, groupId, reason: incomplete() };
}
/** Deletes the sessions of dropped members. If a proxy does not answer, it frees them when they expire. */
async function freeSessions(engine, episodes) {
    const free = ({ url, sessionId }) => new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey).deleteSession(sessionId);
    await Promise.allSettled(episodes.map(free));
}
//# sourceMappingURL=grouped-workflow.js.map