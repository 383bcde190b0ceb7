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
import { refuseUnused, resolveConfig } from "../../config/index.js";
import { storageProblems } from "../preflight/storage-problems.js";
import { RolloutJobError } from "../rollout/errors.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { assertJobArguments } from "../rollout/job-arguments.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { readTasks } from "../rollout/read-tasks.js";
import { runJob } from "../rollout/run-job.js";
import { runScheduledRollout } from "../rollout/run-scheduled.js";
import { describeRollout } from "../rollout/summary.js";
import { unusedByRollout } from "../rollout/unused-keys.js";
/**
 * Defaults of a job that differ from those of a server: any free port, few logs, no expiry of sessions that wait for
 * the batch, and a fast shutdown.
 */
const JOB_DEFAULTS = [
    "server.port=0",
    "server.log_level=warn",
    "server.shutdown_seconds=1",
    "rollout.agent.session_timeout_seconds=2147483",
];
/** A placeholder, because an `engine.urls` without addresses is refused. Engines that the job starts have their addresses only later. */
const UNKNOWN_ENGINES = ["engine.urls=[http://127.0.0.1:1]"];
/** `rolltape rollout`: starts a proxy, runs the episodes, writes batches to files, and prints a summary. */
export async function rollout(args, options) {
    await run(args, options);
    // Timers and connections that agents left behind would keep this process alive.
    exit();
}
async function run(args, options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        assertEngines(args, options);
        const overrides = [...JOB_DEFAULTS, ...(options.engineCommand === undefined ? [] : UNKNOWN_ENGINES), ...args];
        const config = resolveConfig({ file: options.config, overrides });
        refuseUnused(args, unusedByRollout(config, options));
        assertSchedulable(config, options);
        assertJobArguments(config, options);
        const { jobFolder } = options;
        if (jobFolder !== undefined) {
            await readTasks(options.data);
            return runScheduledRollout({ config, options: { ...options, jobFolder }, overrides: args });
        }
        const tasks = await readTasks(options.data);
        const watch = __addDisposableResource(env_1, new ProcessWatch(), false);
        for (const { key, message } of storageProblems(config, { file: options.config, overrides }))
            process.stderr.write(`rolltape: warning: ${key} ${message}\n`);
        const workers = options.workers ?? config.rollout.workers;
        const runners = workers === null ? "here" : { workers };
        const { summary, failure } = await runJob({ config, options, overrides, tasks, watch, runners });
        // After everything is closed, so that no log line follows the summary.
        process.stdout.write(describeRollout(summary));
        if (failure)
            throw failure;
        if (watch.interrupted)
            process.exitCode = EXIT_INTERRUPTED;
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
/** @throws RolloutJobError `invalid_arguments` if the job cannot start engines, or cannot find those that it starts */
function assertEngines(args, options) {
    const { engineCommand, engines, jobFolder } = options;
    if (jobFolder === undefined)
        return;
    const refuse = (message) => {
        throw new RolloutJobError("invalid_arguments", message);
    };
    if (engineCommand === undefined)
        return engines === undefined ? undefined : refuse("--engines requires --engine-command");
    if (!engineCommand.some((word) => word.includes("{port}"))) {
        refuse("--engine-command must contain {port}, on which the proxies call the engine");
    }
    if (isEmbedded(args, options)) {
        refuse("--engine-command requires engine.type=sglang or vllm: the embedded engine runs in the proxies");
    }
}
function isEmbedded(args, { config: file }) {
    try {
        return resolveConfig({ file, overrides: [...JOB_DEFAULTS, ...args] }).engine.type === "embedded";
    }
    catch {
        // The addresses of engine servers are missing. Anything else is reported with them.
        return false;
    }
}
function assertSchedulable({ scheduler }, options) {
    if (options.jobFolder !== undefined)
        return;
    if (scheduler.type !== "local") {
        const why = "a folder that all machines share, for logs and addresses";
        const message = `scheduler.type=${scheduler.type} requires --job-folder, ${why}`;
        throw new RolloutJobError("invalid_arguments", message);
    }
    const option = ["nodes", "sbatchOption", "engineCommand", "engines"].find((name) => options[name] !== undefined);
    if (option === undefined)
        return;
    const name = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new RolloutJobError("invalid_arguments", `--${name} requires --job-folder`);
}
//# sourceMappingURL=rollout.js.map