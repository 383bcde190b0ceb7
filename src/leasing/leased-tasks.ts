import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { ApiError } from "../http/errors.js";
import type { EpisodeResult } from "../rollout/contract.js";
import type { RunningTask, TaskRunner } from "../rollout/controller/task-runner.js";
import type { LeasedTask, Updates, WireReport, WireSession } from "../rollout/lease/protocol.js";
import { type EndedLease, type HeldLease, TaskLeases } from "../rollout/lease/task-leases.js";
import { fromWire, toWire } from "../rollout/lease/wire-result.js";
import { Rejection } from "../rollout/rejection.js";
import { onAbort } from "../support/async/on-abort.js";
import { type LeaseRecords, NO_RECORDS, NOTHING_RESTORED, type RestoredLeases } from "./lease-records.js";
import { LeaseRequests, type TaskRequest } from "./lease-requests.js";
import type { SessionRemover } from "./session-remover.js";
import { SteadyClock } from "./steady-clock.js";
import { WorkerList } from "./worker-list.js";

export interface LeasedTasksOptions {
  readonly leaseSeconds: number;
  readonly maxAttempts: number;
  readonly remover: SessionRemover;
  readonly records?: LeaseRecords | undefined;
  readonly restored?: RestoredLeases | undefined;
  /** Keeps the sessions of rejected episodes until {@link LeasedTasks.discard} is called with them. */
  readonly keepsRejected?: boolean | undefined;
  /** Is called for each attempt that is lost. */
  readonly onLost?: ((lease: EndedLease, reason: string) => void) | undefined;
}

export interface LeaseRequest extends TaskRequest {
  /** The leases that the worker knows. Undefined: it has received all answers. */
  readonly held?: readonly string[] | undefined;
  readonly waitSeconds: number;
}

/** Sessions and results of a worker, and if it takes more tasks. */
export interface WorkerUpdate {
  readonly workerId: string;
  readonly sessions: readonly WireSession[];
  readonly reports: readonly WireReport[];
  /** Maximum number of leases that the worker holds with those of the answer. Undefined: it gets none. */
  readonly maxHeld?: number | undefined;
  /** The leases that the worker knows. Undefined: it has received all answers. */
  readonly held?: readonly string[] | undefined;
}

/** Clock ticks per lease time. */
const TICKS = 20;

const NOT_STARTED = "The controller was restarted and has not started this task again. Try again.";

interface PendingTask {
  readonly task: RunningTask;
  readonly end: (result: EpisodeResult) => void;
}

/**
 * Runs the tasks of a controller on rollout workers.
 *
 * 1. `runTask` adds a task, and `lease` gives it to a worker.
 * 2. The worker prolongs the lease. It starts each session with the lease, or announces it before its agent runs.
 * 3. `report` ends the task. If the lease is lost first, its sessions are deleted and the task waits again.
 */
export class LeasedTasks implements TaskRunner {
  readonly workers = new WorkerList();
  readonly #options: LeasedTasksOptions;
  readonly #records: LeaseRecords;
  readonly #leases: TaskLeases;
  readonly #clock: SteadyClock;
  readonly #requests: LeaseRequests;
  readonly #pending = new Map<number, PendingTask>();
  /** The task of each accepted session. */
  readonly #taskOf = new Map<string, number>();
  /** Why attempts of tasks were lost that the controller has not started yet. */
  readonly #earlierLosses: Map<number, readonly string[]>;
  #lost = 0;
  #refused = 0;
  #done = false;

  constructor(options: LeasedTasksOptions) {
    const { leaseSeconds, maxAttempts, records = NO_RECORDS, restored = NOTHING_RESTORED, remover } = options;
    this.#options = options;
    this.#records = records;
    const leaseMilliseconds = leaseSeconds * 1000;
    this.#leases = new TaskLeases({ leaseMilliseconds, maxAttempts }, () => `lease-${randomUUID()}`);
    this.#clock = new SteadyClock(leaseMilliseconds / TICKS, (now) => this.#tick(now));
    this.#requests = new LeaseRequests((share) => this.#serve(share));
    for (const [task, leaseId] of restored.done)
      this.#leases.restoreDone(task, leaseId, restored.losses.get(task) ?? []);
    for (const lease of restored.leases) {
      this.#leases.restore(lease, restored.losses.get(lease.task) ?? [], 0);
      this.workers.expect(lease.worker);
    }
    this.#earlierLosses = new Map(restored.losses);
    remover.add(restored.unwanted);
    remover.addLeases(restored.lost);
  }

  /** Tasks that wait for a worker, tasks that one has, workers that wait for tasks, lost attempts, and refused reports. */
  get counts() {
    const { waiting: queued, leased } = this.#leases;
    return { queued, leased, idle: this.#requests.size, lost: this.#lost, refused: this.#refused };
  }

  /** True if no more tasks follow. */
  get done(): boolean {
    return this.#done;
  }

  leasesOf(workerId: string): number {
    return this.#leases.countOf(workerId);
  }

  async runTask(task: RunningTask, signal: AbortSignal): Promise<EpisodeResult> {
    const { index } = task;
    if (signal.aborted) return rejectTask(task, toRejection(signal.reason));
    const losses = this.#earlierLosses.get(index) ?? [];
    this.#earlierLosses.delete(index);
    if (losses.length >= this.#options.maxAttempts) return this.#exhaust(task, losses);
    const ended = new Promise<EpisodeResult>((end) => this.#pending.set(index, { task, end }));
    // Hundreds of tasks listen to one signal, which is no leak.
    setMaxListeners(Number.POSITIVE_INFINITY, signal);
    using _aborting = onAbort(signal, () => this.#abandon(index, toRejection(signal.reason)));
    this.#leases.add(index, losses);
    this.#requests.wake();
    return await ended;
  }

  /** Ends a worker in order: its request is not served, and its tasks go to others. Returns the number of its leases. */
  dismiss(workerId: string, leaseIds: readonly string[]): number {
    this.workers.remove(workerId);
    this.#requests.cancel(workerId);
    return this.giveBack(leaseIds);
  }

  /**
   * Notes that sessions of a task that has ended were lost. The next `runTask` of it is one more attempt.
   *
   * @param sessionIds sessions of the task that were not lost. They are deleted.
   */
  reopen(index: number, reason: string, sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.#taskOf.delete(id);
    this.discard(sessionIds);
    const losses = [...this.#leases.losses(index), reason];
    this.#leases.remove(index);
    this.#earlierLosses.set(index, losses);
    this.#lost++;
    this.#records.saveLosses(index, losses);
    this.#records.removeReport(index);
  }

  /** Waits for tasks and gives them to a worker; none if there are none in time. */
  async lease({ held, waitSeconds, ...request }: LeaseRequest, signal: AbortSignal): Promise<LeasedTask[]> {
    if (held !== undefined) this.#returnUnknown(request.workerId, held);
    return this.#requests.wait(request, waitSeconds * 1000, signal);
  }

  /**
   * Notes sessions, ends the tasks of reports, and gives the worker tasks that are there, among them those that could start because
   * others ended.
   */
  async update({ workerId, sessions, reports, maxHeld, held }: WorkerUpdate): Promise<Updates> {
    const lost = this.#announce(sessions);
    const decided = this.#decide(reports);
    if (held !== undefined) this.#returnUnknown(workerId, held);
    const taking = maxHeld === undefined ? [] : this.#requests.take({ workerId, maxHeld });
    await this.#records.flushed();
    return { lost, ...decided, leases: await taking };
  }

  /** Gives the leases back that the worker does not know. */
  #returnUnknown(workerId: string, held: readonly string[]): void {
    const known = new Set(held);
    const unknown = this.#leases.held(workerId).filter(({ id }) => !known.has(id));
    this.giveBack(unknown.map(({ id }) => id));
  }

  /** Notes the sessions of leases. Returns the leases that are not held any more; their sessions are deleted. */
  async announce(sessions: readonly WireSession[]): Promise<string[]> {
    const lost = this.#announce(sessions);
    await this.#records.flushed();
    return lost;
  }

  #announce(sessions: readonly WireSession[]): string[] {
    const lost = sessions.filter(({ lease_id, session_id }) => !this.#leases.announce(lease_id, session_id));
    for (const lease of new Set(sessions.map(({ lease_id }) => lease_id))) this.#saveLease(this.#leases.get(lease));
    this.discard(lost.map(({ session_id }) => session_id));
    return lost.map(({ lease_id }) => lease_id);
  }

  heartbeat(leaseIds: readonly string[]): string[] {
    return this.#leases.renew(leaseIds, this.#clock.now);
  }

  /**
   * Ends the tasks of reports that count. Returns the leases of those that do not; their sessions are deleted.
   *
   * @throws ApiError `server_busy` if the controller restarted and has not started a task again. The call must be repeated.
   */
  async report(reports: readonly WireReport[]): Promise<string[]> {
    const { refused, undecided } = this.#decide(reports);
    // A worker forgets its report when it has the answer.
    await this.#records.flushed();
    if (undecided.length > 0) throw new ApiError("server_busy", NOT_STARTED);
    return refused;
  }

  /**
   * Ends the tasks of reports that count. Returns the leases of those that do not, whose sessions are deleted, and of those whose
   * tasks the controller has not started since it was restarted.
   */
  #decide(all: readonly WireReport[]): Pick<Updates, "refused" | "undecided"> {
    const undecided = all.filter(({ lease_id, task }) => this.#leases.has(lease_id) && !this.#pending.has(task));
    const reports = undecided.length === 0 ? all : all.filter((report) => !undecided.includes(report));
    const refused = reports.filter((report) => !this.#accept(report));
    this.#refused += refused.length;
    this.discard(refused.flatMap(({ result }) => result.accepted.map(({ session_id }) => session_id)));
    const leasesOf = (some: readonly WireReport[]) => some.map(({ lease_id }) => lease_id);
    return { refused: leasesOf(refused), undecided: leasesOf(undecided) };
  }

  /** Ends leases whose tasks did not run to their end, in order. Returns their number. */
  giveBack(leaseIds: readonly string[]): number {
    const returned = leaseIds.flatMap((id) => this.#leases.giveBack(id) ?? []);
    for (const lease of returned) this.#dropLease(lease);
    if (returned.length > 0) this.#requests.wake();
    return returned.length;
  }

  /** Notes that the worker of this name has ended. */
  loseNamed(name: string, reason: string): void {
    for (const worker of this.workers.all().filter((each) => each.name === name)) {
      this.workers.remove(worker.id);
      this.loseWorker(worker.id, reason);
    }
  }

  /** Notes that a worker has ended. */
  loseWorker(workerId: string, reason: string): void {
    this.#requests.cancel(workerId);
    for (const lease of this.#leases.loseWorker(workerId, reason)) this.#lose(lease, reason);
  }

  /** Deletes sessions that no task needs. Accepted ones stay, because a broken worker may name those of another task. */
  discard(sessionIds: readonly string[]): void {
    const unwanted = sessionIds.filter((id) => !this.#taskOf.has(id));
    if (unwanted.length === 0) return;
    this.#records.saveUnwanted(unwanted);
    this.#options.remover.add(unwanted);
  }

  /** Declares that no more tasks follow: workers that ask for some are told to end. */
  finish(): void {
    this.#done = true;
    this.#requests.wake();
  }

  close(): void {
    this.#clock.stop();
    this.finish();
  }

  #tick(now: number): void {
    const expired = this.#leases.expire(now, (worker) => this.workers.nameOf(worker));
    // A worker that hangs, or whose machine is gone, may still have an open request. It must not get the same tasks again.
    for (const worker of new Set(expired.map((lease) => lease.worker))) this.#requests.cancel(worker);
    for (const lease of expired) {
      const reason = lease.exhausted?.at(-1) ?? this.#leases.losses(lease.task).at(-1) ?? "";
      this.#lose(lease, reason);
    }
  }

  /** Gives each waiting request its share of the tasks. */
  #serve({
    workerId,
    count = Number.POSITIVE_INFINITY,
    maxHeld = Number.POSITIVE_INFINITY,
  }: TaskRequest): LeasedTask[] | undefined {
    if (this.#done) return [];
    const { waiting, leased } = this.#leases;
    const own = this.leasesOf(workerId);
    const fair = Math.ceil((waiting + leased) / this.workers.active(this.#options.leaseSeconds));
    const share = Math.max(1, fair - own);
    const leases = this.#leases.lease(workerId, Math.min(count, maxHeld - own, share), this.#clock.now);
    if (leases.length === 0) return undefined;
    return leases.map(({ id, task: index, attempt }) => {
      const { task } = this.#pending.get(index) ?? {};
      if (!task) throw new Error(`Task ${index} waits for a worker, but not for its result.`);
      this.#saveLease(this.#leases.get(id));
      return { lease_id: id, task: index, attempt, task_id: task.taskId, group_id: task.groupId, data: task.data };
    });
  }

  #accept({ lease_id: leaseId, task, attempt, result }: WireReport): boolean {
    const lease = this.#leases.get(leaseId);
    const misplaced = lease && this.#findMisplaced(lease, result);
    if (lease && misplaced !== undefined && lease.task === task && lease.attempt === attempt) {
      const session = misplaced.slice(0, 200);
      const reason = `rollout worker ${lease.worker} reported session ${session} twice, or it belongs to another task`;
      const lost = this.#leases.lose(leaseId, reason);
      if (lost) this.#lose(lost, reason);
      return false;
    }
    const outcome = this.#leases.report({ leaseId, task, attempt });
    if (outcome !== "accepted") return outcome === "repeated";
    const wanted = new Set(result.accepted.map(({ session_id }) => session_id));
    const rejected = result.rejected.flatMap(({ session_id }) => session_id ?? []);
    const kept = new Set(this.#options.keepsRejected ? rejected : []);
    const unwanted = [...new Set([...(lease?.sessions ?? []), ...rejected])].filter((id) => !wanted.has(id));
    for (const id of wanted) this.#taskOf.set(id, task);
    this.#records.removeLease(leaseId);
    // The next process deletes those that are kept if this one dies.
    this.#records.saveUnwanted(unwanted.filter((id) => kept.has(id)));
    // Usually the worker has deleted them. If it could not, only the controller knows them.
    this.discard(unwanted.filter((id) => !kept.has(id)));
    const pending = this.#pending.get(task);
    if (pending) this.#records.saveReport({ task: pending.task, result, leaseId });
    this.#end(task, fromWire(result));
    return true;
  }

  /** Returns a session of a report that belongs to another task, or is in the report twice. A batch can have it only once. */
  #findMisplaced({ task }: HeldLease, { accepted }: WireReport["result"]): string | undefined {
    const ids = accepted.map(({ session_id }) => session_id);
    return ids.find((id, i) => (this.#taskOf.get(id) ?? task) !== task || ids.indexOf(id) !== i);
  }

  #lose(lease: EndedLease, reason: string): void {
    this.#lost++;
    this.#dropLease(lease);
    this.#options.onLost?.(lease, reason);
    this.#records.saveLosses(lease.task, lease.exhausted ?? this.#leases.losses(lease.task));
    if (!lease.exhausted) return this.#requests.wake();
    const pending = this.#pending.get(lease.task);
    if (pending) this.#end(lease.task, this.#exhaust(pending.task, lease.exhausted));
    else this.#earlierLosses.set(lease.task, lease.exhausted);
  }

  /** Rejects a task that ran too often. */
  #exhaust(task: RunningTask, losses: readonly string[]): EpisodeResult {
    const reasons = losses.map((reason, i) => `attempt ${i + 1}: ${reason}`).join("; ");
    const message = `Every attempt was lost (rollout.max_attempts: ${this.#options.maxAttempts}): ${reasons}.`;
    const result = rejectTask(task, new Rejection("worker_lost", message));
    this.#records.saveReport({ task, result: toWire(result) });
    return result;
  }

  /** Ends a task that the controller waits for no more. */
  #abandon(index: number, reason: Rejection): void {
    const pending = this.#pending.get(index);
    const lease = this.#leases.remove(index);
    if (lease) this.#dropLease(lease);
    if (pending) this.#end(index, rejectTask(pending.task, reason));
  }

  #end(index: number, result: EpisodeResult): void {
    const pending = this.#pending.get(index);
    this.#pending.delete(index);
    pending?.end(result);
  }

  #dropLease({ id, sessions }: HeldLease): void {
    this.discard(sessions);
    // Most sessions are started with the lease and not announced, so only the proxy knows them.
    this.#records.saveLost(id);
    this.#options.remover.addLeases([id]);
    this.#records.removeLease(id);
  }

  #saveLease(lease: HeldLease | undefined): void {
    if (lease) this.#records.saveLease(lease);
  }
}

function rejectTask({ groupId }: RunningTask, reason: Rejection): EpisodeResult {
  return { accepted: [], rejected: [{ groupId, reason }] };
}

function toRejection(reason: unknown): Rejection {
  return Rejection.from("episode_aborted", reason);
}
