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
import { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { HttpTransport } from "../../client/transport.js";
import { Deadline } from "../../support/async/deadline.js";
import { Waiters } from "../../support/async/waiters.js";
import { runWorkflow } from "../episode-result.js";
import { toWire } from "../lease/wire-result.js";
import { Rejection } from "../rejection.js";
import { EpisodePace } from "./episode-pace.js";
import { WorkerUpdates } from "./worker-updates.js";
const WAIT_SECONDS = 30;
/** Heartbeats per lease time: two may get lost. */
const BEATS = 3;
/**
 * Pauses for calls to be shared, as parts of an episode's duration: before a call that waits for tasks, after the start of a session,
 * and after the end of an agent.
 */
const [LEASE_PAUSE, SESSION_PAUSE, REPORT_PAUSE] = [0.01, 0.02, 0.04];
/** If the answer to a report takes longer, the next task does not wait for it. */
const LATE_ANSWER_MS = 500;
/** Time in which a worker that is stopped tells the controller. */
const FAREWELL_SECONDS = 5;
/**
 * Runs tasks that a controller leases to it.
 *
 * A result is kept until the controller has accepted or refused it, also over restarts of the controller. Sessions of results that do
 * not count are deleted.
 */
export class RolloutWorker {
    #options;
    /** Leases of tasks that run, and of results that the controller does not have yet. */
    #runs = new Map();
    /** Number of these whose agents have ended. */
    #reporting = 0;
    #pace = new EpisodePace();
    #changed = new Waiters();
    #stopping = new AbortController();
    #updates;
    /** Leases that came after the worker was stopped. */
    #unused = [];
    /** False if the controller does not know this worker, or it was stopped. */
    #isTaking = true;
    #failure;
    #jobChanged = false;
    constructor(options) {
        this.#options = options;
        this.#updates = new WorkerUpdates({
            send: async (sessions, reports) => {
                const { client, workerId: worker_id, concurrency } = options;
                const max_held = this.#isTaking ? concurrency : undefined;
                const answer = await client.update({ worker_id, sessions, reports, max_held }, this.#held);
                for (const task of answer.leases)
                    this.#start(task);
                return answer;
            },
            pauses: {
                session: () => this.#pace.pause(SESSION_PAUSE),
                report: () => this.#pace.pause(REPORT_PAUSE),
            },
        });
    }
    /** Number of tasks that run here. */
    get running() {
        return this.#runs.size;
    }
    /**
     * Runs tasks until the job is done or the worker is stopped.
     *
     * @throws RolloutWorkerError if the controller is given up
     */
    async run() {
        const beating = this.#beat();
        try {
            await this.#take();
        }
        catch (error) {
            if (!this.#stopping.signal.aborted)
                this.#fail(error);
        }
        const wasStopped = this.#stopping.signal.aborted;
        this.stop();
        await Promise.all([beating, this.#finish()]);
        if (this.#failure)
            throw this.#failure.error;
        if (this.#jobChanged)
            return "job_changed";
        return wasStopped ? "stopped" : "done";
    }
    /** Aborts running tasks and gives their leases back. */
    stop() {
        this.#isTaking = false;
        this.#stopping.abort();
        this.#changed.wake();
    }
    /** Waits for tasks that no update has brought, and starts them. Returns when the controller has no more. */
    async #take() {
        const { client, workerId: worker_id, concurrency } = this.#options;
        const { signal } = this.#stopping;
        // True if the answer to an earlier call may be lost.
        let tellsHeld = false;
        while (!signal.aborted) {
            const max_held = await this.#waitForRoom(signal);
            if (signal.aborted)
                return;
            const body = { worker_id, count: concurrency, max_held, wait_seconds: WAIT_SECONDS };
            const answer = await client
                .lease(body, { ...this.#held, isTold: tellsHeld }, signal)
                .catch((error) => this.#registerAgain(error));
            tellsHeld = answer === undefined;
            if (!answer)
                continue;
            for (const task of answer.leases)
                this.#start(task);
            if (answer.state === "done" && answer.leases.length === 0)
                return;
        }
    }
    /**
     * Waits until tasks can be started that no update will bring. The answer to a report usually fills the room that its task has left;
     * that room counts only if the answer is late. Returns the number of leases that the worker may hold.
     */
    async #waitForRoom(signal) {
        const { concurrency } = this.#options;
        const pause = new Waiters();
        while (!signal.aborted) {
            // Reports that come soon may fill the room, or share the call.
            if (this.#runs.size > 0)
                await pause.wait(this.#pace.pause(LEASE_PAUSE), signal);
            if (this.#runs.size < concurrency)
                break;
            const unreported = this.#reporting;
            const hasChanged = await this.#changed.wait(unreported > 0 ? LATE_ANSWER_MS : Number.POSITIVE_INFINITY, signal);
            if (!hasChanged)
                return concurrency + unreported;
        }
        return concurrency;
    }
    get #held() {
        return { read: () => [...this.#runs.keys()] };
    }
    /** A controller that was restarted does not know its workers. */
    async #registerAgain(error) {
        if (!(error instanceof ProxyError) || error.code !== "rollout_worker_not_found")
            throw error;
        const { client, workerId, name, jobId } = this.#options;
        // Until the answer is here, an update could bring tasks of another job.
        this.#isTaking = false;
        const settings = await client.register(workerId, name, this.#stopping.signal);
        this.#isTaking = settings.job_id === jobId && !this.#stopping.signal.aborted;
        if (settings.job_id === jobId)
            return;
        this.#jobChanged = true;
        this.stop();
    }
    #start(task) {
        if (this.#stopping.signal.aborted) {
            this.#unused.push(task.lease_id);
            return;
        }
        const abort = new Deadline(undefined, undefined, () => new Error("no limit"));
        const over = this.#run(task, abort)
            .catch((error) => this.#fail(error))
            .finally(() => {
            abort[Symbol.dispose]();
            this.#runs.delete(task.lease_id);
            this.#changed.wake();
        });
        this.#runs.set(task.lease_id, { abort, over });
    }
    async #run(task, { signal }) {
        const { workflow, engine, rejectedSessions, onEnd } = this.#options;
        const { lease_id, task: index, attempt, task_id: taskId, group_id: groupId, data } = task;
        const onSession = async (session_id) => {
            if (!(await this.#updates.announce({ lease_id, session_id })))
                throw lostError();
        };
        const ids = { taskId, groupId, leaseId: lease_id };
        const options = { ...ids, signal, export: "deferred", onSession, rejectedSessions };
        const started = performance.now();
        const result = await runWorkflow(workflow, engine, data, options);
        this.#pace.note(performance.now() - started);
        if (signal.aborted) {
            await this.#free(result);
            onEnd?.(task, result, this.#stopping.signal.aborted ? "returned" : "lost");
            return;
        }
        const isAccepted = await this.#report({ lease_id, task: index, attempt, result: toWire(result) });
        if (!isAccepted)
            await this.#free(result);
        onEnd?.(task, result, isAccepted ? "accepted" : "refused");
    }
    /** Returns false if the report comes too late. */
    async #report(report) {
        this.#reporting++;
        this.#changed.wake();
        try {
            return await this.#updates.report(report);
        }
        finally {
            this.#reporting--;
        }
    }
    /** Prolongs the leases, and aborts tasks whose leases are lost. */
    async #beat() {
        const { client, workerId, leaseSeconds } = this.#options;
        const { signal } = this.#stopping;
        const never = new Waiters();
        while (!signal.aborted) {
            await never.wait((leaseSeconds * 1000) / BEATS, signal);
            const ids = [...this.#runs.keys()];
            if (signal.aborted || ids.length === 0)
                continue;
            try {
                for (const id of await client.heartbeat(workerId, ids, signal))
                    this.#runs.get(id)?.abort.abort(lostError());
            }
            catch (error) {
                if (!signal.aborted)
                    this.#fail(error);
            }
        }
    }
    /** Aborts what runs, waits for it, and gives its leases back. Results on their way to the controller are sent. */
    async #finish() {
        const env_1 = { stack: [], error: void 0, hasError: false };
        try {
            const { client, workerId } = this.#options;
            const leases = [...this.#runs.keys()];
            for (const { abort } of this.#runs.values())
                abort.abort(new Rejection("episode_aborted", "The worker was stopped."));
            const ended = Promise.all([...this.#runs.values()].map(({ over }) => over));
            const late = __addDisposableResource(env_1, new Deadline(undefined, FAREWELL_SECONDS, () => new Error("The controller does not answer.")), false);
            const farewell = new Waiters();
            // Agents may take a moment to end. Without an answer of the controller, unsent results are lost with this process.
            await Promise.race([ended, farewell.wait(FAREWELL_SECONDS * 1000)]);
            const held = [...leases, ...this.#unused];
            if (!this.#failure)
                await client.giveBack(workerId, held, late.signal).catch(() => undefined);
        }
        catch (e_1) {
            env_1.error = e_1;
            env_1.hasError = true;
        }
        finally {
            __disposeResources(env_1);
        }
    }
    /** Deletes the sessions of a result that does not count. */
    async #free({ accepted, rejected }) {
        const { rejectedSessions, engine } = this.#options;
        const kept = rejectedSessions === "keep" ? rejected.flatMap(({ sessionId }) => sessionId ?? []) : [];
        const sessions = [...accepted, ...kept.map((sessionId) => ({ sessionId, url: engine.url }))];
        const free = sessions.map(({ url, sessionId }) => new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey).deleteSession(sessionId));
        await Promise.allSettled(free);
    }
    /** Ends the worker with an error. */
    #fail(error) {
        this.#failure ??= { error };
        this.stop();
    }
}
function lostError() {
    return new Rejection("episode_aborted", "The lease of this task was lost.");
}
//# sourceMappingURL=rollout-worker.js.map