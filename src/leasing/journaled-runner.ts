import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "../rollout/contract.js";
import { type RunningTask, type TaskRunner, WorkflowRunner } from "../rollout/controller/task-runner.js";
import { toWire } from "../rollout/lease/wire-result.js";
import type { LeaseRecords } from "./lease-records.js";

/**
 * Runs tasks in this process and stores their results. A session counts as unwanted until its episode is accepted, so that the
 * sessions of a process that is killed are deleted by the next one, which finds sessions that were not stored yet by the job's id.
 */
export class JournaledRunner implements TaskRunner {
  readonly #runner: WorkflowRunner<unknown>;
  readonly #records: LeaseRecords;
  readonly #keepsRejected: boolean;

  /** @param options.leaseId the id of the job, as the lease of its sessions */
  constructor(
    workflow: RolloutWorkflow,
    engine: RolloutEngine,
    records: LeaseRecords,
    { rejectedSessions, leaseId }: Pick<EpisodeOptions, "rejectedSessions" | "leaseId">,
  ) {
    this.#records = records;
    this.#keepsRejected = rejectedSessions === "keep";
    const onSession = async (sessionId: string) => {
      records.saveUnwanted([sessionId]);
      await records.flushed();
    };
    this.#runner = new WorkflowRunner(workflow, engine, { onSession, rejectedSessions, leaseId });
  }

  async runTask(task: RunningTask, signal: AbortSignal): Promise<EpisodeResult> {
    const result = await this.#runner.runTask(task, signal);
    // A task that was stopped with the job runs again when the job goes on.
    if (signal.aborted && result.accepted.length === 0) return result;
    // Sessions that are kept stay unwanted until the job has deleted them.
    for (const { sessionId } of [...result.accepted, ...(this.#keepsRejected ? [] : result.rejected)])
      if (sessionId !== undefined) this.#records.removeUnwanted(sessionId);
    this.#records.saveReport({ task, result: toWire(result) });
    await this.#records.flushed();
    return result;
  }
}
