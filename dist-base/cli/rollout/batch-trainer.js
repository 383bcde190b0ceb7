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
import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { onAbort } from "../../support/async/on-abort.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { createTrainerEnvironment, trainerFailed, } from "./trainer.js";
/** A program that is run for each batch, and loads the new weights into the engine before it ends. */
export class BatchTrainer {
    #command;
    #engine;
    constructor(command, engine) {
        this.#command = command;
        this.#engine = engine;
    }
    /**
     * Runs the program on a batch. The next version is one higher.
     *
     * The file is its last argument and in ROLLTAPE_BATCH. The next version is in ROLLTAPE_VERSION. Its output is forwarded
     * to this process's standard error.
     */
    async train({ file, version: before }, signal) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            signal.throwIfAborted();
            const [program, ...args] = this.#command;
            const [batch, version] = [resolve(file), before + 1];
            const env = { ...createTrainerEnvironment(this.#engine, version), ROLLTAPE_BATCH: batch };
            const child = spawn(program, [...args, batch], { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
            // Its own group, so that Ctrl-C reaches only the job, which ends the program itself.
            const group = new ChildGroup(child);
            // Forwarded instead of inherited, because it would overwrite the progress bar.
            forwardLines(child.stdout);
            forwardLines(child.stderr);
            const _killing = __addDisposableResource(env_1, onAbort(signal, () => group.kill()), false);
            const end = await group.ended;
            if (end.how === "not_started")
                throw trainerFailed(`${program} could not be started: ${describeEnd(end)}`);
            signal.throwIfAborted();
            if (end.how !== "exit" || end.code !== 0)
                throw trainerFailed(`${program} ended with ${describeEnd(end)}`);
            return { version };
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    async end() { }
}
//# sourceMappingURL=batch-trainer.js.map