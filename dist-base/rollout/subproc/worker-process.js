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
import { fork } from "node:child_process";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onAbort } from "../../support/async/on-abort.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { OutputTail } from "../../support/processes/output-tail.js";
import { SubprocError } from "./errors.js";
import { pickLoaders } from "./loaders.js";
import { decodeError } from "./messages.js";
import { addStandardError, noteStandardError, processError } from "./standard-error.js";
import { createBareEnvironment } from "./task-environment.js";
const TAIL_BYTES = 8192;
/** The process ended before it accepted the task, so that the task can be given to another process. */
export class TaskNotTaken extends Error {
    /** The end of the process's standard error. */
    standardError;
    /** @param how the process ended */
    constructor(how, standardError) {
        super(how);
        this.standardError = standardError;
    }
}
/** One worker process, as its parent sees it. It runs one task at a time. */
export class WorkerProcess {
    #group;
    #tail;
    #flush;
    #running;
    #tasks = 0;
    #usable = true;
    /** @param nodeArguments Node arguments of the process, in addition to the loaders of this process */
    constructor(nodeArguments = []) {
        const isSource = import.meta.url.endsWith(".ts");
        const file = fileURLToPath(new URL(isSource ? "./worker.ts" : "./worker.js", import.meta.url));
        const child = fork(file, [], {
            detached: true,
            serialization: "advanced",
            env: createBareEnvironment(),
            // Output of agents is forwarded to this process's standard error. Its standard output belongs to the command.
            stdio: ["ignore", "pipe", "pipe", "ipc"],
            execArgv: [...pickLoaders(process.execArgv), ...(isSource ? ["--import", "tsx"] : []), ...nodeArguments],
        });
        this.#group = new ChildGroup(child);
        const { stdout, stderr } = child;
        if (stdout === null || stderr === null)
            throw new Error("a worker process has no output");
        const flushes = [forwardLines(stdout), forwardLines(stderr)];
        this.#flush = () => {
            for (const flush of flushes)
                flush();
        };
        this.#tail = new OutputTail(stderr, TAIL_BYTES);
        child.on("message", (message) => this.#handle(message));
        void this.#group.exited.then((end) => this.#end(end));
        this.#unrefAll([stdout, stderr]);
    }
    get #child() {
        return this.#group.child;
    }
    /** `busy`: the process runs a task. `gone`: it was killed or has ended. */
    get state() {
        if (!this.#usable)
            return "gone";
        return this.#running ? "busy" : "idle";
    }
    /**
     * Runs a task and returns its result. If the signal aborts, the process is killed.
     *
     * @throws TaskNotTaken, the error that the agent threw, or the reason of the signal
     */
    async run(task, signal) {
        this.#tail.clear();
        // Keeps this process alive until the child answers or ends: nothing else might.
        this.#child.ref();
        this.#child.channel?.ref();
        const giveUp = () => {
            this.kill();
            this.#settle()?.reject(addStandardError(signal.reason, this.#tail.text));
        };
        try {
            const env_1 = { stack: [], error: void 0, hasError: false };
            try {
                const id = this.#tasks++;
                const outcome = new Promise((resolve, reject) => (this.#running = { id, started: false, resolve, reject }));
                const _givingUp = __addDisposableResource(env_1, onAbort(signal, giveUp), false);
                if (this.#child.connected)
                    this.#send({ ...task, id });
                else
                    this.#settle()?.reject(new TaskNotTaken("its connection was closed", this.#tail.text));
                return await outcome;
            }
            catch (e_1) {
                env_1.error = e_1;
                env_1.hasError = true;
            }
            finally {
                __disposeResources(env_1);
            }
        }
        finally {
            this.#child.unref();
            this.#child.channel?.unref();
        }
    }
    /** Kills the process and its descendants. */
    kill() {
        this.#usable = false;
        this.#group.kill();
    }
    /**
     * Kills the process and writes its incomplete last line now, because this process may end before it reads the end.
     */
    close() {
        this.kill();
        this.#flush();
    }
    #send(task) {
        try {
            // The callback ignores errors: if the task could not be sent, the process has ended, which #end handles.
            this.#child.send(task, () => { });
        }
        catch (cause) {
            const message = `The task cannot be sent to another process: ${cause.message}`;
            this.#settle()?.reject(new SubprocError("not_serializable", message, { cause }));
        }
    }
    /**
     * Handles a message. Messages that do not belong to the running task are ignored, because the agent may send its own.
     */
    #handle(message) {
        if (message.id !== this.#running?.id)
            return;
        if (message.type === "started") {
            this.#running.started = true;
            return;
        }
        if (message.type === "failed")
            return void this.#fail(message);
        if (!message.reusable)
            this.kill();
        this.#settle()?.resolve(message.value);
    }
    /**
     * Rejects the task with the agent's error. The process wrote its standard error before this message, but to another
     * pipe. Two iterations of the event loop let that pipe be read first.
     */
    async #fail({ error, reusable }) {
        const running = this.#running;
        if (!running)
            return;
        running.failure = decodeError(error);
        await setImmediate();
        await setImmediate();
        if (this.#running !== running)
            return;
        if (!reusable)
            this.kill();
        noteStandardError(running.failure, this.#tail.text);
        this.#settle()?.reject(running.failure);
    }
    async #end(end) {
        this.kill();
        const running = this.#settle();
        if (!running)
            return;
        await this.#group.ended;
        const how = end.how === "not_started" ? "it could not be started" : describeEnd(end);
        if (!running.started)
            return running.reject(new TaskNotTaken(how, this.#tail.text));
        if (running.failure) {
            noteStandardError(running.failure, this.#tail.text);
            return running.reject(running.failure);
        }
        const sentence = `The agent's process ended while the agent was running (${how}).`;
        running.reject(processError("worker_exited", sentence, this.#tail.text));
    }
    #settle() {
        const running = this.#running;
        this.#running = undefined;
        return running;
    }
    /** Lets this process end while the worker is idle. */
    #unrefAll(outputs) {
        this.#child.unref();
        this.#child.channel?.unref();
        for (const output of outputs)
            if ("unref" in output && typeof output.unref === "function")
                output.unref();
    }
}
//# sourceMappingURL=worker-process.js.map