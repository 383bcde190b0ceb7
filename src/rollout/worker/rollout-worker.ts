import { ProxyError } from "../../client/errors.js";
import { Deadline } from "../../support/async/deadline.js";
import { Waiters } from "../../support/async/waiters.js";
import type { EpisodeResult, RejectedEpisode, RolloutEngine, RolloutWorkflow } from "../contract.js";
import { CutSessions } from "../cut-sessions.js";
import { deleteSessions } from "../delete-sessions.js";
import { runWorkflow } from "../episode-result.js";
import type { LeasedTask, Leases, WireReport } from "../lease/protocol.js";
import { toWire } from "../lease/wire-result.js";
import { LostLease } from "../lost-lease.js";
import { type ProxyWatch, watchProxy } from "../proxy-watch.js";
import { Rejection } from "../rejection.js";
import { isWithoutProxy } from "../retrying-workflow.js";
import type { ControllerClient, HeldLeases } from "./controller-client.js";
import { WorkerUpdates } from "./worker-updates.js";

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
 * - `returned`: the worker was stopped, or its proxy does not answer. The lease was given back, which costs the task no attempt.
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
/**
 * Pauses for calls to be shared, as parts of an episode's duration: before a call that waits for tasks, after the start of a session,
 * and after the end of an agent.
 */
const [LEASE_PAUSE, SESSION_PAUSE, REPORT_PAUSE] = [0.01, 0.02, 0.04];
/** If the answer to a report takes longer, the next task does not wait for it. */
const LATE_ANSWER_MS = 500;
/** How long a worker waits for its proxy before it asks the controller if the job is over. */
const PROXY_WAIT_SECONDS = 5;
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
  readonly #updates: WorkerUpdates;
  readonly #proxy: ProxyWatch;
  /** Leases that came after the worker was stopped. */
  readonly #unused: string[] = [];
  /** False if the controller does not know this worker, or it was stopped. */
  #isTaking = true;
  #failure: { readonly error: unknown } | undefined;
  #jobChanged = false;

  constructor(options: RolloutWorkerOptions) {
    this.#options = options;
    this.#proxy = watchProxy(options.engine);
    this.#updates = new WorkerUpdates({
      send: async (sessions, reports) => {
        const { client, workerId: worker_id, concurrency } = options;
        const max_held = this.#isTaking && !this.#proxy.isAbsent ? concurrency : undefined;
        const answer = await client.update(
          { worker_id, sessions, reports, max_held, can_resume: this.#canResume },
          this.#held,
        );
        for (const task of answer.leases) this.#start(task);
        return answer;
      },
      pauses: {
        session: () => this.#pace.pause(SESSION_PAUSE),
        report: () => this.#pace.pause(REPORT_PAUSE),
      },
    });
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
    this.stop();
    await Promise.all([beating, this.#finish()]);
    if (this.#failure) throw this.#failure.error;
    if (this.#jobChanged) return "job_changed";
    return wasStopped ? "stopped" : "done";
  }

  /** Aborts running tasks and gives their leases back. */
  stop(): void {
    this.#isTaking = false;
    this.#stopping.abort();
    this.#changed.wake();
  }

  /** Waits for tasks that no update has brought, and starts them. Returns when the controller has no more. */
  async #take(): Promise<void> {
    const { client, workerId: worker_id, concurrency } = this.#options;
    const { signal } = this.#stopping;
    // True if the answer to an earlier call may be lost.
    let tellsHeld = false;
    while (!signal.aborted) {
      const max_held = await this.#waitForRoom(signal);
      if (signal.aborted) return;
      if (this.#proxy.isAbsent && (await this.#waitForProxy()) === "done") return;
      const can_resume = this.#canResume;
      const body = { worker_id, count: concurrency, max_held, wait_seconds: WAIT_SECONDS, can_resume };
      const answer: Leases | undefined = await client
        .lease(body, { ...this.#held, isTold: tellsHeld }, signal)
        .catch((error: unknown) => this.#registerAgain(error));
      tellsHeld = answer === undefined;
      if (!answer) continue;
      for (const task of answer.leases) this.#start(task);
      if (answer.state === "done" && answer.leases.length === 0) return;
    }
  }

  /**
   * Waits until tasks can be started that no update will bring. The answer to a report usually fills the room that its task has left;
   * that room counts only if the answer is late. Returns the number of leases that the worker may hold.
   */
  async #waitForRoom(signal: AbortSignal): Promise<number> {
    const { concurrency } = this.#options;
    const pause = new Waiters();
    while (!signal.aborted) {
      // Reports that come soon may fill the room, or share the call.
      if (this.#runs.size > 0) await pause.wait(this.#pace.pause(LEASE_PAUSE), signal);
      if (this.#runs.size < concurrency) break;
      const unreported = this.#reporting;
      const hasChanged = await this.#changed.wait(unreported > 0 ? LATE_ANSWER_MS : Number.POSITIVE_INFINITY, signal);
      if (!hasChanged) return concurrency + unreported;
    }
    return concurrency;
  }

  /** Waits until the proxy answers. Until then, a task would only wait here. Returns `done` if the job ends meanwhile. */
  async #waitForProxy(): Promise<"done" | "answers"> {
    const { client } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted && !(await this.#proxy.waitUntilAnswers(PROXY_WAIT_SECONDS, signal))) {
      if ((await client.status(signal)).state === "done") return "done";
    }
    return "answers";
  }

  get #canResume(): boolean {
    return this.#options.workflow.canResume ?? false;
  }

  get #held(): Pick<HeldLeases, "read"> {
    return { read: () => [...this.#runs.keys()] };
  }

  /** A controller that was restarted does not know its workers. */
  async #registerAgain(error: unknown): Promise<undefined> {
    if (!(error instanceof ProxyError) || error.code !== "rollout_worker_not_found") throw error;
    const { client, workerId, name, jobId } = this.#options;
    // Until the answer is here, an update could bring tasks of another job.
    this.#isTaking = false;
    const settings = await client.register(workerId, name, { signal: this.#stopping.signal });
    this.#isTaking = settings.job_id === jobId && !this.#stopping.signal.aborted;
    if (settings.job_id === jobId) return;
    this.#jobChanged = true;
    this.stop();
  }

  #start(task: LeasedTask): void {
    if (this.#stopping.signal.aborted) {
      this.#unused.push(task.lease_id);
      return;
    }
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
    const cutSessions = new CutSessions(task.cut_leases);
    const onSession = async (session_id: string, leaseId?: string) => {
      // If the lease is lost, the controller finds such a session at the proxy. Announcing it would cost a call for each episode.
      if (leaseId === lease_id) return;
      if (!(await this.#updates.announce({ lease_id, session_id }))) throw new LostLease();
    };
    const ids = { taskId, groupId, leaseId: lease_id };
    const more = { onSession, rejectedSessions, cutSessions };
    const options = { ...ids, ...more, signal, export: "deferred" } as const;
    const started = performance.now();
    const result = await runWorkflow(workflow, engine, data, options);
    this.#pace.note(performance.now() - started);
    if (signal.aborted) {
      await this.#free(result, lease_id);
      onEnd?.(task, result, this.#stopping.signal.aborted ? "returned" : "lost");
      return;
    }
    if (isWithoutProxy(result)) {
      await this.#options.client
        .giveBack(this.#options.workerId, [lease_id], this.#stopping.signal)
        .catch(() => undefined);
      onEnd?.(task, result, "returned");
      return;
    }
    const isAccepted = await this.#report({ lease_id, task: index, attempt, result: toWire(result) });
    if (!isAccepted) await this.#free(result, lease_id);
    onEnd?.(task, result, isAccepted ? "accepted" : "refused");
  }

  /** Returns false if the report comes too late. */
  async #report(report: WireReport): Promise<boolean> {
    this.#reporting++;
    this.#changed.wake();
    try {
      return await this.#updates.report(report);
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
        for (const id of await client.heartbeat(workerId, ids, signal))
          this.#runs.get(id)?.abort.abort(new LostLease());
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
    const held = [...leases, ...this.#unused];
    if (!this.#failure) await client.giveBack(workerId, held, late.signal).catch(() => undefined);
  }

  /** Deletes the sessions of a result that does not count, except for those with which the next attempt goes on. */
  async #free({ accepted, rejected }: EpisodeResult, leaseId: string): Promise<void> {
    const { rejectedSessions, engine } = this.#options;
    const isNeeded = ({ reason }: RejectedEpisode) => this.#canResume && reason instanceof LostLease;
    const unneeded = rejected.filter((episode) => !isNeeded(episode));
    const kept = rejectedSessions === "keep" ? unneeded.flatMap(({ sessionId }) => sessionId ?? []) : [];
    await deleteSessions(engine, [...accepted, ...kept.map((sessionId) => ({ sessionId, url: engine.url, leaseId }))]);
  }

  /** Ends the worker with an error. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.stop();
  }
}

/** A pause is at most this long, however long episodes take. */
const LONGEST_PAUSE_MS = 250;
/** Weight of the newest episode in the mean. */
const NEWEST = 1 / 16;

/**
 * How long a call may wait for others to share it: a small part of what an episode takes, so that it costs little time. A
 * worker of many short episodes sends a fraction of the calls.
 */
export class EpisodePace {
  #meanMilliseconds = 0;

  /** Notes how long an episode took. */
  note(milliseconds: number): void {
    const weight = this.#meanMilliseconds === 0 ? 1 : NEWEST;
    this.#meanMilliseconds += (milliseconds - this.#meanMilliseconds) * weight;
  }

  /** Returns a part of the mean duration, in milliseconds. */
  pause(part: number): number {
    return Math.min(LONGEST_PAUSE_MS, this.#meanMilliseconds * part);
  }
}
