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
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onAbort } from "../support/async/on-abort.js";
import { SchedulerError } from "./errors.js";
import { sortRoles } from "./job.js";
import { LocalLauncher } from "./local/local-launcher.js";
import { SupervisedProcess } from "./supervised-process.js";
/**
 * Runs a job.
 *
 * 1. Start the roles in order. A role starts when all processes of the previous role are ready.
 * 2. Restart processes that end too early.
 * 3. When the controller has ended, stop all roles in the opposite order.
 *
 * @throws {@link SchedulerError} `job_failed` or `job_stopped`, after everything was stopped
 */
export async function runJob(job, { launcher = new LocalLauncher(), signal } = {}) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const supervisor = new Supervisor(job, launcher);
        const _listening = __addDisposableResource(env_1, onAbort(signal, () => supervisor.fail(new SchedulerError("job_stopped", "The job was stopped."))), false);
        try {
            await supervisor.run();
        }
        finally {
            await supervisor.stop();
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
class Supervisor {
    #job;
    #launcher;
    /** The processes by role, in the order of their start. */
    #started = [];
    /** Rejects when the job cannot go on. */
    #failure;
    #reject = () => undefined;
    #stopping = false;
    constructor(job, launcher) {
        this.#job = job;
        this.#launcher = launcher;
        this.#failure = new Promise((_, reject) => (this.#reject = reject));
        // Between two steps of the job nothing awaits this promise. Without a handler, its rejection would end the process.
        this.#failure.catch(() => undefined);
        mkdirSync(job.folder, { recursive: true });
        // These files may be left from an earlier run, whose servers are gone.
        rmSync(join(job.folder, "workers"), { recursive: true, force: true });
        rmSync(join(job.folder, "processes.json"), { force: true });
    }
    async run() {
        for (const spec of sortRoles(this.#job)) {
            if (this.#stopping)
                return;
            await Promise.race([this.#startRole(spec), this.#failure]);
        }
        const controllers = this.#started.at(-1) ?? [];
        const ends = await Promise.race([Promise.all(controllers.map(({ over }) => over)), this.#failure]);
        const failed = ends.findIndex(({ code }) => code !== 0);
        if (failed < 0 || this.#stopping)
            return;
        const message = `The controller ${ends[failed]?.text}. ${controllers[failed]?.logEnd}`;
        throw new SchedulerError("job_failed", message);
    }
    /** Makes {@link run} reject. */
    fail(error) {
        this.#reject(error);
    }
    async stop() {
        this.#stopping = true;
        for (const processes of [...this.#started].reverse())
            await Promise.all(processes.map((process) => process.stop()));
    }
    async #startRole(spec) {
        const processes = Array.from({ length: spec.count }, (_, index) => this.#supervise(spec, index));
        this.#started.push(processes);
        this.#publish();
        for (const { over } of processes)
            void over.then(() => this.#checkRole(spec, processes));
        await Promise.all(processes.map(({ settled }) => settled));
    }
    #supervise(spec, index) {
        return new SupervisedProcess({
            spec,
            index,
            folder: this.#job.folder,
            launcher: this.#launcher,
            stopSeconds: this.#job.stop_seconds,
            values: () => this.#values(index),
            onChange: () => this.#publish(),
        });
    }
    /** Fails the job if all processes of a role are lost. It continues without some of them. */
    #checkRole({ role }, processes) {
        if (this.#stopping || role === "controller")
            return;
        if (!processes.every(({ record }) => record.state === "lost"))
            return;
        const [first] = processes;
        const message = `All processes of role ${role} are lost. The first one ${first?.record.ended}. ${first?.logEnd}`;
        this.fail(new SchedulerError("job_failed", message));
    }
    #values(index) {
        const records = this.#records();
        const urls = records.filter(({ role, url }) => role === "engine" && url !== undefined).map(({ url }) => url);
        const findUrl = (wanted, at) => records.find((r) => r.role === wanted && r.index === at)?.url;
        const proxies = records.filter(({ role }) => role === "proxy").length;
        return {
            engine_urls: JSON.stringify(urls),
            proxy_url: findUrl("proxy", index % proxies),
            gateway_url: findUrl("gateway", 0),
        };
    }
    #records() {
        return this.#started.flat().map(({ record }) => record);
    }
    /** Writes `processes.json` for users and other processes. The rename keeps readers from seeing an incomplete file. */
    #publish() {
        const file = join(this.#job.folder, "processes.json");
        writeFileSync(`${file}.new`, `${JSON.stringify(this.#records(), null, 2)}\n`);
        renameSync(`${file}.new`, file);
    }
}
//# sourceMappingURL=supervisor.js.map