import { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { HttpTransport } from "../../client/transport.js";
import { Deadline } from "../../support/async/deadline.js";
import { Waiters } from "../../support/async/waiters.js";
import type { EpisodeResult, RolloutEngine, RolloutWorkflow } from "../contract.js";
import { runWorkflow } from "../episode-result.js";
import { type LeasedTask, type Leases, MAX_ENTRIES, type WireReport } from "../lease/protocol.js";
import { toWire } from "../lease/wire-result.js";
import { Rejection } from "../rejection.js";
import { Batcher } from "./batcher.js";
import type { ControllerClient, HeldLeases } from "./controller-client.js";
import { EpisodePace } from "./episode-pace.js";

export interface RolloutWorkerOptions {
  readonly client: ControllerClient;
  readonly workerId: string;
  readonly name: string;
  readonly jobId: string;
  readonly workflow: RolloutWorkflow;
  readonly engine: RolloutEngine;
  /** Maximum number of tasks that run at once. */
  readonly concurrency: number;
  readonly leaseSeconds: number;
  readonly rejectedSessions?: "delete" | "keep" | undefined;
  /** Is called when a task has ended here. */
  readonly onEnd?: ((task: LeasedTask, result: EpisodeResult, outcome: RunOutcome) => void) | undefined;
}

/**
 * - `accepted`: the report counts.
 * - `refused`: it came too late.
 * - `lost`: the lease was lost while the task ran.
 * - `returned`: the worker was stopped.
 */
export type RunOutcome = "accepted" | "refused" | "lost" | "returned";

/**
 * Why a worker ended: `done`, the job has no more tasks; `stopped`, {@link RolloutWorker.stop} was called; `job_changed`, the
 * controller runs another job now.
 */
export type WorkerEnd = "done" | "stopped" | "job_changed";

const WAIT_SECONDS = 30;
/** Heartbeats per lease time: two may get lost. */
const BEATS = 3;
/** Pauses for calls to be shared, as parts of an episode's duration: before an episode starts, and after it has ended. */
const [START_PAUSE, REPORT_PAUSE] = [0.01, 0.05];
/** Time in which a worker that is stopped tells the controller. */
const FAREWELL_SECONDS = 5;

interface Run {
  readonly abort: Deadline;
  readonly over: Promise<void>;
}

/**
 * Runs tasks that a controller leases to it.
 *
 * A result is kept until the controller has accepted or refused it, also over restarts of the controller. Sessions of results that do
 * not count are deleted.
 */
export class RolloutWorker {
  readonly #options: RolloutWorkerOptions;
  /** Leases of tasks that run, and of results that the controller does not have yet. */
  readonly #runs = new Map<string, Run>();
  /** Number of these whose agents have ended. */
  #reporting = 0;
  readonly #pace = new EpisodePace();
  readonly #changed = new Waiters();
  readonly #stopping = new AbortController();
  readonly #announcements: Batcher<{ lease_id: string; session_id: string }, boolean>;
  readonly #reports: Batcher<WireReport, boolean>;
  #failure: { readonly error: unknown } | undefined;
  #jobChanged = false;

  constructor(options: RolloutWorkerOptions) {
    this.#options = options;
    const { client } = options;
    this.#announcements = new Batcher(
      async (sessions) => {
        const lost = new Set(await client.announce(sessions));
        return sessions.map(({ lease_id }) => !lost.has(lease_id));
      },
      MAX_ENTRIES,
      () => this.#pace.pause(START_PAUSE),
    );
    this.#reports = new Batcher(
      async (reports) => {
        const refused = new Set(await client.report(reports));
        return reports.map(({ lease_id }) => !refused.has(lease_id));
      },
      MAX_ENTRIES / 16,
      () => this.#pace.pause(REPORT_PAUSE),
    );
  }

  /** Number of tasks that run here. */
  get running(): number {
    return this.#runs.size;
  }

  /**
   * Runs tasks until the job is done or the worker is stopped.
   *
   * @throws RolloutWorkerError if the controller is given up
   */
  async run(): Promise<WorkerEnd> {
    const beating = this.#beat();
    try {
      await this.#take();
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#fail(error);
    }
    const wasStopped = this.#stopping.signal.aborted;
    this.#stopping.abort();
    await Promise.all([beating, this.#finish()]);
    if (this.#failure) throw this.#failure.error;
    if (this.#jobChanged) return "job_changed";
    return wasStopped ? "stopped" : "done";
  }

  /** Aborts running tasks and gives their leases back. */
  stop(): void {
    this.#stopping.abort();
    this.#changed.wake();
  }

  /** Leases tasks and starts them. Returns when the controller has no more. */
  async #take(): Promise<void> {
    const { client, workerId: worker_id } = this.#options;
    const { signal } = this.#stopping;
    // True if the answer to an earlier call may be lost.
    let tellsHeld = false;
    while (!signal.aborted) {
      await this.#waitForSlots(signal);
      if (signal.aborted) return;
      const count = this.#freeSlots;
      const body = { worker_id, count, wait_seconds: WAIT_SECONDS };
      const held: HeldLeases = { read: () => [...this.#runs.keys()], isTold: tellsHeld };
      const answer: Leases | undefined = await client
        .lease(body, held, signal)
        .catch((error: unknown) => this.#registerAgain(error));
      tellsHeld = answer === undefined;
      if (!answer) continue;
      for (const task of answer.leases) this.#start(task);
      if (answer.state === "done" && answer.leases.length === 0) return;
    }
  }

  /** Waits until tasks can be started, and then a moment for others that end soon: they share the request. */
  async #waitForSlots(signal: AbortSignal): Promise<void> {
    while (this.#freeSlots <= 0 && !signal.aborted) await this.#changed.wait(Number.POSITIVE_INFINITY, signal);
    if (this.#runs.size > 0) await new Waiters().wait(this.#pace.pause(START_PAUSE), signal);
  }

  get #freeSlots(): number {
    return this.#options.concurrency - this.#runs.size + this.#reporting;
  }

  /** A controller that was restarted does not know its workers. */
  async #registerAgain(error: unknown): Promise<undefined> {
    if (!(error instanceof ProxyError) || error.code !== "rollout_worker_not_found") throw error;
    const { client, workerId, name, jobId } = this.#options;
    const settings = await client.register(workerId, name, this.#stopping.signal);
    if (settings.job_id === jobId) return;
    this.#jobChanged = true;
    this.stop();
  }

  #start(task: LeasedTask): void {
    const abort = new Deadline(undefined, undefined, () => new Error("no limit"));
    const over = this.#run(task, abort)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        abort[Symbol.dispose]();
        this.#runs.delete(task.lease_id);
        this.#changed.wake();
      });
    this.#runs.set(task.lease_id, { abort, over });
  }

  async #run(task: LeasedTask, { signal }: Deadline): Promise<void> {
    const { workflow, engine, rejectedSessions, onEnd } = this.#options;
    const { lease_id, task: index, attempt, task_id: taskId, group_id: groupId, data } = task;
    const onSession = async (session_id: string) => {
      if (!(await this.#announcements.add({ lease_id, session_id }))) throw lostError();
    };
    const ids = { taskId, groupId, leaseId: lease_id };
    const options = { ...ids, signal, export: "deferred", onSession, rejectedSessions } as const;
    const started = performance.now();
    const result = await runWorkflow(workflow, engine, data, options);
    this.#pace.note(performance.now() - started);
    if (signal.aborted) {
      await this.#free(result);
      onEnd?.(task, result, this.#stopping.signal.aborted ? "returned" : "lost");
      return;
    }
    const isAccepted = await this.#report({ lease_id, task: index, attempt, result: toWire(result) });
    if (!isAccepted) await this.#free(result);
    onEnd?.(task, result, isAccepted ? "accepted" : "refused");
  }

  /** Returns false if the report comes too late. The next task need not wait for it. */
  async #report(report: WireReport): Promise<boolean> {
    this.#reporting++;
    this.#changed.wake();
    try {
      return await this.#reports.add(report);
    } finally {
      this.#reporting--;
    }
  }

  /** Prolongs the leases, and aborts tasks whose leases are lost. */
  async #beat(): Promise<void> {
    const { client, workerId, leaseSeconds } = this.#options;
    const { signal } = this.#stopping;
    const never = new Waiters();
    while (!signal.aborted) {
      await never.wait((leaseSeconds * 1000) / BEATS, signal);
      const ids = [...this.#runs.keys()];
      if (signal.aborted || ids.length === 0) continue;
      try {
        for (const id of await client.heartbeat(workerId, ids, signal)) this.#runs.get(id)?.abort.abort(lostError());
      } catch (error) {
        if (!signal.aborted) this.#fail(error);
      }
    }
  }

  /** Aborts what runs, waits for it, and gives its leases back. Results on their way to the controller are sent. */
  async #finish(): Promise<void> {
    const { client, workerId } = this.#options;
    const leases = [...this.#runs.keys()];
    for (const { abort } of this.#runs.values())
      abort.abort(new Rejection("episode_aborted", "The worker was stopped."));
    const ended = Promise.all([...this.#runs.values()].map(({ over }) => over));
    using late = new Deadline(undefined, FAREWELL_SECONDS, () => new Error("The controller does not answer."));
    const farewell = new Waiters();
    // Agents may take a moment to end. Without an answer of the controller, unsent results are lost with this process.
    await Promise.race([ended, farewell.wait(FAREWELL_SECONDS * 1000)]);
    if (!this.#failure) await client.giveBack(workerId, leases, late.signal).catch(() => undefined);
  }

  /** Deletes the sessions of a result that does not count. */
  async #free({ accepted, rejected }: EpisodeResult): Promise<void> {
    const { rejectedSessions, engine } = this.#options;
    const kept = rejectedSessions === "keep" ? rejected.flatMap(({ sessionId }) => sessionId ?? []) : [];
    const sessions = [...accepted, ...kept.map((sessionId) => ({ sessionId, url: engine.url }))];
    const free = sessions.map(({ url, sessionId }) =>
      new AdminClient(new HttpTransport(url, engine.connections), engine.adminKey).deleteSession(sessionId),
    );
    await Promise.allSettled(free);
  }

  /** Ends the worker with an error. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop();
  }
}

function lostError(): Rejection {
  return new Rejection("episode_aborted", "The lease of this task was lost.");
}
