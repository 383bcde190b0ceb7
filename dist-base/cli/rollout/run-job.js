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
import { connectProxy } from "../../rollout/connect.js";
import { WorkflowRunner } from "../../rollout/controller/task-runner.js";
import { createLogger } from "../logger.js";
import { requireEngine, requireWritable, sharedMemoryProblems } from "../preflight/preflight.js";
import { readExamples } from "./examples.js";
import { JobTranscript } from "./job-transcript.js";
import { createWorkflow } from "./job-workflow.js";
import { openJournal } from "./open-journal.js";
import { openLeases } from "./open-leases.js";
import { openProxy } from "./open-proxy.js";
import { openWorkers } from "./open-workers.js";
import { RolloutJob } from "./rollout-job.js";
import { SampledTokens } from "./sampled-tokens.js";
import { RolloutScreen } from "./screen.js";
/** Runs a job: opens a proxy and what runs agents, runs every task, and closes everything. */
export async function runJob(run) {
    const env_1 = { stack: [], error: void 0, hasError: false };
    try {
        const { config, options, overrides, runners } = run;
        const screen = __addDisposableResource(env_1, new RolloutScreen(), false);
        await requireWritable(options.out);
        if (options.proxy === undefined) {
            for (const { key, message } of await sharedMemoryProblems(config))
                screen.line(`rolltape: warning: ${key}: ${message}`);
            await requireEngine(config);
        }
        // Created before the proxy, so that a wrong agent is reported at once.
        const workflow = runners === "here" ? await createWorkflow(config, options) : undefined;
        try {
            const env_2 = { stack: [], error: void 0, hasError: false };
            try {
                const served = __addDisposableResource(env_2, await openProxy({ config, options, overrides, screen }), true);
                const proxy = __addDisposableResource(env_2, connectProxy(served), true);
                const journal = __addDisposableResource(env_2, await openJournal(run), true);
                const leases = __addDisposableResource(env_2, await openRunners(run, { served, proxy, screen, journal }), true);
                const runner = leases?.tasks ?? (workflow && (await createRunner(workflow.workflow, { options, proxy, journal })));
                if (!runner)
                    throw new Error("nothing runs the agents");
                const groupSize = workflow?.groupSize ?? leases?.groupSize ?? 1;
                const tokens = await SampledTokens.start(proxy.url);
                const setup = { ...run, proxy, tokens, runner, leases: leases?.tasks, journal, groupSize, screen };
                const transcript = await JobTranscript.open(setup);
                const job = new RolloutJob({ ...setup, transcript });
                leases?.attach(job);
                run.watch.begin(job);
                return await measure(job, run, { groupSize, transcript });
            }
            catch (e_1) {
                env_2.error = e_1;
                env_2.hasError = true;
            }
            finally {
                const result_1 = __disposeResources(env_2);
                if (result_1)
                    await result_1;
            }
        }
        finally {
            workflow?.close();
        }
    }
    catch (e_2) {
        env_1.error = e_2;
        env_1.hasError = true;
    }
    finally {
        __disposeResources(env_1);
    }
}
async function measure(job, { tasks }, { groupSize, transcript: written }) {
    const started = performance.now();
    const { interrupted, failure, ...outcome } = await job.run();
    const seconds = (performance.now() - started) / 1000;
    const stopped = interrupted || failure !== undefined;
    const transcript = await readExamples(written);
    return { summary: { ...outcome, tasks: tasks.length, groupSize, seconds, transcript, stopped }, failure };
}
/** Returns what runs tasks in this process, and stores their results if there is a journal. */
async function createRunner(workflow, { options, proxy, journal }) {
    // The transcript reads the sessions of rejected episodes before they are deleted.
    const rejectedSessions = options.transcripts === false ? "delete" : "keep";
    if (!journal)
        return new WorkflowRunner(workflow, proxy, { rejectedSessions });
    const { JournaledRunner } = await import("../../leasing/journaled-runner.js");
    return new JournaledRunner(workflow, proxy, journal, { rejectedSessions, leaseId: journal.jobId });
}
/** Opens what gives tasks to rollout workers; undefined if agents run in this process. */
async function openRunners(run, { served, proxy, screen, journal }) {
    const { config, runners } = run;
    const { adminKey } = served;
    if (runners === "here")
        return undefined;
    if ("workers" in runners)
        return openWorkers({ ...run, screen, proxy, adminKey, journal, count: runners.workers });
    const { host, port } = config.server;
    const logger = createLogger(config, screen.log);
    const leases = await openLeases({ ...run, proxy, adminKey, journal, host, port, logger });
    runners.onReady(leases.url);
    return leases;
}
//# sourceMappingURL=run-job.js.map