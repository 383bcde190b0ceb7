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
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { z } from "zod";
import { ConnectionPool } from "../../client/connection-pool.js";
import { readAdminKey, refuseUnused, resolveConfig, UNUSED_BY_WORKER } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { ControllerClient } from "../../rollout/worker/controller-client.js";
import { RolloutWorker } from "../../rollout/worker/rollout-worker.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import { createLogger } from "../logger.js";
import { RolloutJobError } from "../rollout/errors.js";
import { createWorkflow } from "../rollout/job-workflow.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
/**
 * `rolltape worker`: runs the tasks that a controller leases to it, until the controller has no more or a signal stops it. Prints one
 * JSON line on standard output when it is registered. Logs, and what agents print, go to standard error.
 */
export async function worker(args, options) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const config = resolveConfig({ file: options.config, overrides: args });
        refuseUnused(args, UNUSED_BY_WORKER);
        const adminKey = requireKey(config);
        const logger = createLogger(config);
        const watch = __addDisposableResource(env_1, new ProcessWatch(), false);
        const stopping = new StoppableWorker();
        watch.begin(stopping);
        // A rollout job starts this process with an IPC channel. When the job dies, the channel closes, and the worker stops.
        if (process.connected === false)
            stopping.interrupt();
        else
            process.once("disconnect", () => stopping.interrupt());
        const connections = __addDisposableResource(env_1, new ConnectionPool(), true);
        const client = new ControllerClient({
            locate: () => locate(options.controller),
            adminKey,
            connections,
            patienceSeconds: config.rollout.controller_wait_seconds,
            onTrouble: (why) => {
                if (why === undefined)
                    logger.info("the controller answers again");
                else
                    logger.warn({ why }, "the controller does not answer; results are kept and calls are repeated");
            },
        });
        const job = { config, options, adminKey, logger, client, stopping };
        await runJobs(job).catch((error) => {
            if (!stopping.signal.aborted || stopping.error)
                throw error;
        });
        if (stopping.error)
            throw stopping.error;
        logger.info("stopped");
        // Timers and connections that agents left behind would keep this process alive.
        exit(0);
    }
    catch (e_1) {
        env_1.error = e_1;
        env_1.hasError = true;
    }
    finally {
        const result_1 = __disposeResources(env_1);
        if (result_1)
            await result_1;
    }
}
/** Runs the tasks of one job after the other, if the controller is replaced by that of another job. */
async function runJobs(job) {
    const { client, options, logger, stopping } = job;
    const workerId = randomUUID();
    const name = options.name ?? `${hostname()}-${process.pid}`;
    for (let isFirst = true;; isFirst = false) {
        const settings = await client.register(workerId, name, stopping.signal);
        const end = await runOne(job, { workerId, name, settings, isFirst });
        logger.info({ name, end }, "the worker has ended");
        if (end !== "job_changed")
            return;
    }
}
async function runOne(job, { workerId, name, settings, isFirst }) {
    const { config, options, adminKey, logger, client, stopping } = job;
    const workflow = await createWorkflow(applySettings(config, settings), {
        agent: options.agent,
        command: options.command,
        groupSize: settings.workflow.group_size,
        timeout: settings.workflow.timeout_seconds ?? undefined,
    });
    try {
        const env_2 = { stack: [], error: void 0, hasError: false };
        try {
            const engine = __addDisposableResource(env_2, connectProxy({ url: options.proxy ?? settings.proxy_url, adminKey }), true);
            const running = new RolloutWorker({
                client,
                workerId,
                name,
                jobId: settings.job_id,
                workflow: workflow.workflow,
                engine,
                concurrency: config.rollout.worker_concurrency,
                leaseSeconds: settings.lease_seconds,
                rejectedSessions: settings.workflow.rejected_sessions,
                onEnd: ({ task_id, attempt }, { accepted, rejected }, outcome) => logger.debug({ task_id, attempt, accepted: accepted.length, rejected: rejected.length, outcome }, "a task ended"),
            });
            if (isFirst)
                announceReady({ url: engine.url, name });
            logger.info({ name, proxy: engine.url, job: settings.job_id }, "ready");
            stopping.begin(running);
            return await running.run();
        }
        catch (e_2) {
            env_2.error = e_2;
            env_2.hasError = true;
        }
        finally {
            const result_2 = __disposeResources(env_2);
            if (result_2)
                await result_2;
        }
    }
    finally {
        workflow.close();
    }
}
/** Prints the ready line. What agents print afterwards goes to standard error. */
function announceReady(fields) {
    printReadyLine(fields);
    process.stdout.write = process.stderr.write.bind(process.stderr);
}
/** The controller decides how tasks run. */
function applySettings(config, { workflow }) {
    const { rollout } = config;
    return {
        ...config,
        drop_incomplete_group: workflow.drop_incomplete_group,
        rollout: { ...rollout, agent: { ...rollout.agent, reward_scope: workflow.reward_scope } },
    };
}
/** Stops a worker after a signal, the end of the job that started it, or an uncaught error of an agent. */
class StoppableWorker {
    #stopping = new AbortController();
    #worker;
    error;
    get signal() {
        return this.#stopping.signal;
    }
    begin(worker) {
        this.#worker = worker;
        if (this.signal.aborted)
            worker.stop();
    }
    interrupt() {
        this.#stopping.abort(new Error("the worker was stopped"));
        this.#worker?.stop();
    }
    fail(error) {
        this.error ??= error;
        this.interrupt();
    }
}
const urlFile = z.object({ url: z.url() });
/** Returns the address of a controller; undefined if its file does not exist yet. */
async function locate(controller) {
    if (/^https?:\/\//.test(controller))
        return controller;
    try {
        return urlFile.parse(JSON.parse(await readFile(controller, "utf8"))).url;
    }
    catch {
        return undefined;
    }
}
function requireKey(config) {
    const key = readAdminKey(config, process.env);
    if (key !== undefined)
        return key;
    const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
    throw new RolloutJobError("invalid_arguments", `rolltape worker requires the admin key of its controller in ${where}`);
}
//# sourceMappingURL=worker.js.map