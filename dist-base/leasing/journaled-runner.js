import { WorkflowRunner } from "../rollout/controller/task-runner.js";
import { toWire } from "../rollout/lease/wire-result.js";
/**
 * Runs tasks in this process and stores their results. A session counts as unwanted until its episode is accepted, so that the
 * sessions of a process that is killed are deleted by the next one, which finds sessions that were not stored yet by the job's id.
 */
export class JournaledRunner {
    #runner;
    #records;
    #keepsRejected;
    /** @param options.leaseId the id of the job, as the lease of its sessions */
    constructor(workflow, engine, records, { rejectedSessions, leaseId }) {
        this.#records = records;
        this.#keepsRejected = rejectedSessions === "keep";
        const onSession = async (sessionId) => {
            records.saveUnwanted([sessionId]);
            await records.flushed();
        };
        this.#runner = new WorkflowRunner(workflow, engine, { onSession, rejectedSessions, leaseId });
    }
    async runTask(task, signal) {
        const result = await this.#runner.runTask(task, signal);
        // A task that was stopped with the job runs again when the job goes on.
        if (signal.aborted && result.accepted.length === 0)
            return result;
        // Sessions that are kept stay unwanted until the job has deleted them.
        for (const { sessionId } of [...result.accepted, ...(this.#keepsRejected ? [] : result.rejected)])
            if (sessionId !== undefined)
                this.#records.removeUnwanted(sessionId);
        this.#records.saveReport({ task, result: toWire(result) });
        await this.#records.flushed();
        return result;
    }
}
//# sourceMappingURL=journaled-runner.js.map