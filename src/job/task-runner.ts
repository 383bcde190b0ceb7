import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "../rollout/contract.js";
import { CutSessions } from "../rollout/cut-sessions.js";
import { runWorkflow } from "../rollout/episode-result.js";

/** A task that a controller has started. */
export interface RunningTask<Data = unknown> {
  /** Position in the order of submission, from 0. */
  readonly index: number;
  readonly data: Data;
  readonly taskId: string;
  readonly groupId: string;
  /** The weight version when the task began. */
  readonly version: number;
  /** The right to run it, with which its sessions are started. */
  readonly leaseId?: string | undefined;
  /** Lost leases of the task, whose sessions it may take over. */
  readonly cutLeases?: readonly string[] | undefined;
}

/** Runs the tasks of a controller in this process. */
export interface TaskRunner<Data = unknown> {
  /** True if an agent can go on with sessions of an earlier process. Default false. */
  readonly canResume?: boolean | undefined;
  /**
   * Runs one task. Never rejects: an error is a rejected episode in the result.
   *
   * @param signal aborts when the controller is stopped
   */
  runTask(task: RunningTask<Data>, signal: AbortSignal): Promise<EpisodeResult>;
}

/** Runs tasks in this process. Exports of their sessions are deferred to the batch. */
export class WorkflowRunner<Data> implements TaskRunner<Data> {
  readonly #workflow: RolloutWorkflow<Data>;
  readonly #engine: RolloutEngine;
  readonly #options: Pick<EpisodeOptions, "rejectedSessions">;

  constructor(
    workflow: RolloutWorkflow<Data>,
    engine: RolloutEngine,
    options: Pick<EpisodeOptions, "rejectedSessions"> = {},
  ) {
    this.#workflow = workflow;
    this.#engine = engine;
    this.#options = options;
  }

  get canResume(): boolean {
    return this.#workflow.canResume ?? false;
  }

  runTask(
    { data, taskId, groupId, leaseId, cutLeases }: RunningTask<Data>,
    signal: AbortSignal,
  ): Promise<EpisodeResult> {
    const cutSessions = new CutSessions(cutLeases);
    const ids = { taskId, groupId, leaseId };
    const options = { ...this.#options, ...ids, signal, cutSessions, export: "deferred" } as const;
    return runWorkflow(this.#workflow, this.#engine, data, options);
  }
}
