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
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { refuseUnused, resolveConfig } from "../../config/index.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { assertJobArguments } from "../rollout/job-arguments.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { readTasks } from "../rollout/read-tasks.js";
import { runJob } from "../rollout/run-job.js";
import { describeRollout } from "../rollout/summary.js";
import { unusedByController } from "../rollout/unused-keys.js";
/** Unlike a server, a controller listens on any free port: `--url-file` tells workers which. */
const CONTROLLER_DEFAULTS = ["server.port=0"];
/**
 * `rolltape controller`: gives tasks to rollout workers, writes batches to files, and prints a summary. Prints one JSON line on
 * standard output when workers may come.
 */
export async function controller(args, options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const overrides = [...CONTROLLER_DEFAULTS, ...args];
        const config = resolveConfig({ file: options.config, overrides });
        refuseUnused(args, unusedByController(options));
        assertJobArguments(config, options);
        const tasks = await readTasks(options.data);
        const watch = __addDisposableResource(env_1, new ProcessWatch(), false);
        // While the job runs, standard output is passed on to standard error, where it cannot damage the progress bar.
        const write = process.stdout.write.bind(process.stdout);
        const onReady = (url) => {
            printReadyLine({ url, tasks: tasks.length }, write);
            if (options.urlFile !== undefined)
                publish(options.urlFile, url);
        };
        const { summary, failure } = await runJob({ config, options, overrides, tasks, watch, runners: { onReady } });
        if (options.urlFile !== undefined)
            rmSync(options.urlFile, { force: true });
        // After everything is closed, so that no log line follows the summary.
        process.stdout.write(describeRollout(summary));
        if (failure)
            throw failure;
        if (watch.interrupted)
            process.exitCode = EXIT_INTERRUPTED;
        exit();
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
/** Writes the address for workers on other machines. The rename keeps them from reading an incomplete file. */
function publish(file, url) {
    writeFileSync(`${file}.new`, `${JSON.stringify({ url, pid: process.pid })}\n`);
    renameSync(`${file}.new`, file);
}
//# sourceMappingURL=controller.js.map