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
import { z } from "zod";
import { createDeferred } from "../../support/async/deferred.js";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { makeInert } from "../../support/inert-text.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { readLines } from "../../support/processes/read-lines.js";
import { createTrainerEnvironment, trainerFailed, } from "./trainer.js";
const LONGEST_LINE_BYTES = 1 << 20;
const SHOWN_CHARACTERS = 200;
/** Time that a program has to save its state after the job was stopped. */
const STOP_SECONDS = 10;
const answer = z.object({
    version: z.int32().min(0),
    weights: z.string().min(1).optional(),
    step: z.int().optional(),
});
/**
 * One program for all batches of a job. It reads a JSON line for each batch on its standard input, and writes a JSON line
 * on its standard output when it has consumed it. Other lines of its output go to this process's standard error.
 */
export class PersistentTrainer {
    #program;
    #onFailure;
    #child;
    #group;
    /** Settles with the answer to the batch that the program has. */
    #answer;
    #failure;
    /** True when no more batches follow, so that the program may end. */
    #complete = false;
    constructor({ command: [program, ...args], engine, version, onFailure }) {
        this.#program = program;
        this.#onFailure = onFailure;
        const env = createTrainerEnvironment(engine, version);
        this.#child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env, detached: true });
        // Its own group, so that Ctrl-C reaches only the job, which ends the program itself.
        this.#group = new ChildGroup(this.#child);
        // Writing fails if the program has ended, which `#ended` reports.
        this.#child.stdin.on("error", () => { });
        forwardLines(this.#child.stderr);
        readLines(this.#child.stdout, LONGEST_LINE_BYTES, (line) => this.#read(line));
        void this.#group.ended.then((end) => this.#ended(end));
    }
    async train({ file, step, version, tasks }, signal) {
        signal.throwIfAborted();
        if (this.#failure)
            throw this.#failure;
        this.#answer = { ...createDeferred(), step, version };
        const line = { step, version, batch: resolve(file), tasks };
        this.#child.stdin.write(`${JSON.stringify(line)}\n`);
        try {
            return await untilAborted(this.#answer.promise, signal);
        }
        finally {
            this.#answer = undefined;
        }
    }
    /** Closes the program's standard input. If the signal aborts, the program gets SIGTERM, and later SIGKILL. */
    async end(signal) {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            this.#complete = true;
            this.#child.stdin.end();
            let killing;
            const stop = () => {
                this.#group.signal("SIGTERM");
                killing = setTimeout(() => this.#group.kill(), STOP_SECONDS * 1000);
            };
            const _stopping = __addDisposableResource(env_1, onAbort(signal, stop), false);
            const end = await this.#group.ended;
            clearTimeout(killing);
            if (!signal.aborted && !this.#failure && !(end.how === "exit" && end.code === 0)) {
                throw trainerFailed(`${this.#program} ended with ${describeEnd(end)}`);
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
    /** An answer begins with a brace. Everything else is output for people. */
    #read(line) {
        if (line !== undefined && !line.trimStart().startsWith("{"))
            return void process.stderr.write(`${line}\n`);
        const given = this.#answer;
        const result = line === undefined ? undefined : parseAnswer(line);
        const shown = line === undefined ? `a line of more than ${LONGEST_LINE_BYTES} bytes` : shorten(line);
        if (result === undefined)
            return this.#fail(`expected a line {"version": n}; received ${shown}`);
        if (given === undefined)
            return this.#fail(`it answered although it had no batch: ${shown}`);
        if (result.step !== undefined && result.step !== given.step)
            return this.#fail(`\`step\` must be ${given.step}, that of the batch, or absent; received ${shown}`);
        const keepsVersion = result.weights !== undefined && result.version === given.version;
        if (result.version < given.version || keepsVersion) {
            const least = keepsVersion ? `above ${given.version}, because it has new weights` : `at least ${given.version}`;
            return this.#fail(`\`version\` must be ${least}; received ${shown}`);
        }
        this.#answer = undefined;
        given.resolve(result);
    }
    #ended(end) {
        if (this.#complete && this.#answer === undefined)
            return;
        const how = end.how === "not_started" ? `could not be started: ${describeEnd(end)}` : `ended with ${describeEnd(end)}`;
        this.#fail(`${this.#program} ${how}${end.how === "exit" && end.code === 0 ? " before the last batch" : ""}`);
    }
    /** Only the first failure counts. */
    #fail(why) {
        if (this.#failure)
            return;
        this.#failure = trainerFailed(why);
        this.#answer?.reject(this.#failure);
        this.#group.kill();
        this.#onFailure(this.#failure);
    }
}
function parseAnswer(line) {
    try {
        return answer.safeParse(JSON.parse(line)).data;
    }
    catch {
        return undefined;
    }
}
function shorten(line) {
    const text = makeInert(line.trim());
    return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
//# sourceMappingURL=persistent-trainer.js.map