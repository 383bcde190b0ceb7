import { WaitQueue } from "../../support/async/wait-queue.js";
import { Rejection } from "../rejection.js";
import { AcceptedTasks } from "./accepted-tasks.js";
import { AnnouncedVersion } from "./announced-version.js";
import { ControllerError } from "./errors.js";
import { resolveControllerOptions } from "./resolve-controller-options.js";
import { RolloutBatch } from "./rollout-batch.js";
import { assertLimits, StalenessControl } from "./staleness.js";
import { WorkflowRunner } from "./task-runner.js";
/**
 * Runs tasks for a trainer. It starts them in the order in which they were submitted, as the limits on staleness allow,
 * and returns the accepted ones in batches. Each episode grants its own capacity, as its first step.
 */
export class RolloutController {
    #runner;
    #engine;
    #options;
    #staleness;
    #announced;
    #accepted;
    #queue = [];
    /** Callers of {@link waitBatch}. They receive undefined if no batch follows. */
    #waiters = new WaitQueue();
    #stopping = new AbortController();
    #rejectedEpisodes = new Map();
    #ended = new Set();
    #submitted = 0;
    #incomplete = 0;
    #paused = false;
    #updates = 0;
    #complete = false;
    /**
     * @param workflow runs each task in this process; or what runs tasks elsewhere
     * @throws ControllerError `invalid_option`
     */
    constructor(workflow, engine, input) {
        const options = resolveControllerOptions(input);
        assertLimits(options);
        this.#runner = "runTask" in workflow ? workflow : new WorkflowRunner(workflow, engine);
        this.#engine = engine;
        this.#options = options;
        this.#staleness = new StalenessControl(options, options.version);
        this.#announced = new AnnouncedVersion(engine, options.version);
        this.#accepted = new AcceptedTasks(options.batchOrder ?? "completion");
    }
    get version() {
        return this.#staleness.version;
    }
    get counts() {
        const { running, accepted, rejected } = this.#staleness;
        return {
            submitted: this.#submitted,
            waiting: this.#queue.length,
            running,
            accepted,
            rejected,
            incomplete: this.#incomplete,
            rejectedEpisodes: new Map(this.#rejectedEpisodes),
        };
    }
    /** Queues a task. Returns its index. */
    submit(data, options = {}) {
        if (this.#complete) {
            throw new ControllerError("no_more_tasks", "The controller accepts no more tasks after finish() or stop().");
        }
        const index = this.#submitted++;
        const taskId = options.taskId ?? `task-${index}`;
        this.#queue.push({ index, data, taskId, groupId: options.groupId ?? taskId });
        this.#proceed();
        // If this fails, waitBatch tries again and reports the error.
        this.#settleVersion().catch(() => { });
        return index;
    }
    /**
     * Adds a task that ended before a restart, in the order of submission. An accepted one goes into a batch, unless a batch
     * consumed it already.
     *
     * @param end its result, or `consumed`
     */
    restore(end) {
        const index = this.#submitted++;
        if (end === "consumed")
            return index;
        const result = { ...end, index };
        const isAccepted = result.accepted.length > 0;
        this.#staleness.start();
        if (isAccepted)
            this.#accepted.start(index, result.version);
        this.#collect(result);
        return index;
    }
    /**
     * Runs tasks of a batch again, because their sessions were lost, and keeps the others for the next batch. The caller waits for
     * that batch instead.
     *
     * @param isLost returns true for a task that must run again
     */
    rerun(batch, isLost) {
        for (const task of batch.tasks) {
            if (isLost(task)) {
                this.#staleness.lose(1, "to run again");
                this.#queue.unshift({ ...task, groupId: task.accepted[0]?.groupId ?? task.taskId });
            }
            else
                this.#accepted.end(task.index, task);
        }
        this.#queue.sort((a, b) => a.index - b.index);
        this.#proceed();
    }
    /** Declares that no more tasks follow. The last batch may be smaller. */
    finish() {
        this.#complete = true;
        this.#proceed();
    }
    /**
     * Waits for the next `consumerBatchSize` accepted tasks. Returns undefined after the last batch.
     *
     * Later tasks may start only after {@link setVersion}. The signal ends the wait, not the tasks. Rejects if the
     * initial version cannot be announced to the proxy.
     */
    async waitBatch(signal) {
        if (!this.#announced.settled)
            await this.#settleVersion();
        const batch = this.#waiters.wait(signal);
        this.#proceed();
        return batch;
    }
    /** Notes that the sessions of a batch were lost. Its tasks then count as rejected, and others may start instead. */
    lose(batch) {
        this.#staleness.lose(batch.tasks.length);
        this.#proceed();
    }
    /**
     * Notes that the trainer took a batch and raises the version by `versions`. Call it before {@link setVersion} if that
     * is not 1: with 0, for example, if the trainer collects gradients over several batches.
     */
    noteStep(versions) {
        this.#staleness.noteStep(versions);
        this.#proceed();
    }
    /** Starts no more tasks. Running tasks go on. */
    pause() {
        this.#paused = true;
    }
    resume() {
        this.#paused = false;
        this.#proceed();
    }
    /**
     * Sets a new weight version. With a path, the proxy loads the weights in all engine servers. Otherwise `update` loads them
     * into the engine, and the version is announced to the proxy.
     *
     * No task starts meanwhile. The engine may cut generations in flight, which the proxy then resumes. If this fails,
     * the earlier version stays in effect.
     */
    async setVersion(version, update, options = {}) {
        this.#staleness.assertNext(version);
        this.#updates++;
        let announced = false;
        const announce = async () => {
            announced = true;
            await this.#announced.announce(version, options);
        };
        try {
            if (typeof update === "object")
                await this.#announced.load({ version, path: update.path }, { ...update, ...options });
            else {
                await update?.(announce);
                if (!announced)
                    await announce();
            }
            this.#staleness.setVersion(version);
        }
        catch (error) {
            // If this fails too, it most likely has the same cause. The error of the update is thrown.
            if (announced)
                await this.#announced.announce(this.version).catch(() => { });
            throw error;
        }
        finally {
            this.#updates--;
            this.#proceed();
        }
    }
    /**
     * Aborts running tasks and drops waiting ones. Accepted tasks can still be taken as batches. Resolves when every
     * episode has ended.
     */
    async stop() {
        this.#complete = true;
        this.#queue.length = 0;
        this.#stopping.abort(new Rejection("episode_aborted", "The rollout was stopped."));
        await Promise.all(this.#ended);
        this.#proceed();
    }
    async #settleVersion() {
        if (this.#announced.settled)
            return;
        await this.#announced.settle();
        this.#proceed();
    }
    /** True if no task may start now. */
    get #blocked() {
        return this.#paused || this.#updates > 0 || !this.#announced.settled;
    }
    /** Starts tasks that may start, and returns batches that are complete. */
    #proceed() {
        while (this.#queue.length > 0 && !this.#blocked && this.#staleness.freeSlots > 0) {
            const task = this.#queue.shift();
            if (task)
                this.#start(task);
        }
        const last = this.#complete && this.#queue.length === 0 && this.#staleness.running === 0;
        while (this.#waiters.length > 0) {
            const { consumerBatchSize: count, maxStaleness } = this.#options;
            const tasks = this.#accepted.take({ count, last, dueVersion: this.version - maxStaleness });
            if (tasks === undefined)
                return;
            this.#waiters.serve(tasks.length > 0 ? this.#createBatch(tasks) : undefined);
        }
    }
    #start(task) {
        this.#staleness.start();
        this.#accepted.start(task.index, this.version);
        const ended = this.#run(task).finally(() => this.#ended.delete(ended));
        this.#ended.add(ended);
    }
    async #run(task) {
        const { version } = this;
        const { index, data, taskId } = task;
        const result = await this.#runner.runTask({ ...task, version }, this.#stopping.signal);
        this.#collect({ ...result, index, taskId, data, version });
    }
    #collect(result) {
        const accepted = result.accepted.length > 0;
        this.#staleness.end(accepted ? "accepted" : "rejected");
        if (accepted && result.rejected.length > 0)
            this.#incomplete++;
        for (const { reason } of result.rejected) {
            this.#rejectedEpisodes.set(reason.code, (this.#rejectedEpisodes.get(reason.code) ?? 0) + 1);
        }
        this.#accepted.end(result.index, accepted ? result : undefined);
        this.#proceed();
        this.#options.onResult?.(result);
    }
    #createBatch(tasks) {
        return new RolloutBatch(tasks, this.version, this.#engine, this.#options.exportFields ?? {});
    }
}
//# sourceMappingURL=controller.js.map