import { ApiError } from "../../http/errors.js";
import type { LeasedTask, Updates, WireReport, WireSession } from "../../rollout/lease/protocol.js";
import type { ClaimedTask, JobStore } from "../job-store.js";
import { LeaseRequests, type TaskRequest } from "./lease-requests.js";
import { type KnownWorker, WorkerList } from "./worker-list.js";

export interface LeasedTasksOptions {
  readonly store: JobStore;
  readonly leaseSeconds: number;
  /** Returns the data of a task. */
  readonly readData: (task: number) => unknown;
  /** Workers of an earlier process, which may call. */
  readonly earlierWorkers?: readonly string[] | undefined;
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
  /** See {@link TaskRequest.canResume}. */
  readonly canResume?: boolean | undefined;
}

/** A worker that has not called for longer, and not for its lease time, has ended. */
const SILENT_SECONDS = 40;
/** Clock ticks per lease time. */
const TICKS = 20;

/**
 * Gives the queued tasks of a job to rollout workers, and takes their reports.
 *
 * 1. `lease` gives tasks to a worker.
 * 2. The worker prolongs the leases. It starts each session with its lease, or announces it before its agent runs.
 * 3. `report` ends a task. If its lease is lost first, its sessions are deleted and the task waits again.
 */
export class LeasedTasks {
  readonly workers = new WorkerList();
  readonly #store: JobStore;
  readonly #options: LeasedTasksOptions;
  readonly #clock: SteadyClock;
  readonly #requests: LeaseRequests;
  /** The last time that each worker was said to have ended. */
  readonly #ends = new Map<string, symbol>();
  #refused = 0;
  #done = false;

  constructor(options: LeasedTasksOptions) {
    this.#store = options.store;
    this.#options = options;
    this.#clock = new SteadyClock((options.leaseSeconds * 1000) / TICKS, (milliseconds) =>
      // The store tells the job that it failed.
      this.#tick(milliseconds).catch(() => undefined),
    );
    this.#requests = new LeaseRequests({
      serve: (request) => this.#serve(request),
      giveBack: (leases) => this.giveBack(leases.map(({ lease_id }) => lease_id)),
    });
    for (const worker of options.earlierWorkers ?? []) this.workers.expect(worker);
  }

  /** Number of workers that wait for tasks, and of reports that were refused. */
  get counts() {
    return { idle: this.#requests.size, refused: this.#refused };
  }

  /** True if no more tasks follow. */
  get done(): boolean {
    return this.#done;
  }

  /**
   * Adds a worker.
   *
   * @param replaces the former worker of this name has ended: its tasks run again at once
   * @throws ApiError `rollout_worker_name_taken` if another worker of this name lives
   */
  async register(workerId: string, name: string, replaces: boolean): Promise<void> {
    const former = this.workers.all().filter((worker) => worker.name === name && worker.id !== workerId);
    const living = former.find(({ id, lastCall }) => this.#requests.has(id) || this.#isRecent(lastCall));
    if (living && !replaces) throw nameTaken(living);
    for (const { id } of former) {
      this.workers.remove(id);
      await this.loseWorker(id, `rollout worker ${name} ended`);
    }
    this.workers.add(workerId, name);
  }

  /** A worker that waits for tasks calls at least every 30 seconds, one that runs tasks more often than its leases end. */
  #isRecent(lastCall: number): boolean {
    return performance.now() - lastCall < Math.max(this.#options.leaseSeconds, SILENT_SECONDS) * 1000;
  }

  /** Gives tasks that have been queued to workers that wait. */
  wake(): void {
    this.#requests.wake();
  }

  /** Ends a worker in order: its request is not served, and its tasks go to others. Returns the number of its leases. */
  dismiss(workerId: string, leaseIds: readonly string[]): Promise<number> {
    this.workers.remove(workerId);
    this.#requests.cancel(workerId);
    return this.giveBack(leaseIds);
  }

  /** Waits for tasks and gives them to a worker; none if there are none in time. */
  async lease({ held, waitSeconds, ...request }: LeaseRequest, signal: AbortSignal): Promise<LeasedTask[]> {
    if (held !== undefined) await this.#store.returnUnknown(request.workerId, held);
    return this.#requests.wait(request, waitSeconds * 1000, signal);
  }

  /**
   * Notes sessions, ends the tasks of reports, and gives the worker tasks that are there, among them those that could start because
   * others ended.
   */
  async update({ workerId, sessions, reports, maxHeld, held, canResume }: WorkerUpdate): Promise<Updates> {
    const end = this.#ends.get(workerId);
    const decided = await this.#decide(sessions, reports);
    if (held !== undefined) await this.#store.returnUnknown(workerId, held);
    // Nobody is left to run tasks if the worker ended meanwhile.
    const takes = maxHeld !== undefined && end === this.#ends.get(workerId);
    const leases = takes ? await this.#requests.take({ workerId, maxHeld, canResume }) : [];
    return { ...decided, leases };
  }

  /** Notes the sessions of leases. Returns the leases that are not held any more; their sessions are deleted. */
  announce(sessions: readonly WireSession[]): Promise<string[]> {
    return this.#store.announce(sessions);
  }

  heartbeat(leaseIds: readonly string[]): Promise<string[]> {
    return this.#store.renew(leaseIds);
  }

  /** Ends the tasks of reports that count. Returns the leases of those that do not; their sessions are deleted. */
  async report(reports: readonly WireReport[]): Promise<string[]> {
    return (await this.#decide([], reports)).refused;
  }

  async #decide(sessions: readonly WireSession[], reports: readonly WireReport[]) {
    const decided = await this.#store.update(sessions, reports);
    this.#refused += decided.refused.length;
    return decided;
  }

  /** Ends leases whose tasks did not run to their end, in order. Returns their number. */
  giveBack(leaseIds: readonly string[]): Promise<number> {
    return this.#store.giveBack(leaseIds);
  }

  /** Notes that the worker of this name has ended. */
  async loseNamed(name: string, reason: string): Promise<void> {
    for (const worker of this.workers.all().filter((each) => each.name === name)) {
      this.workers.remove(worker.id);
      await this.loseWorker(worker.id, reason);
    }
  }

  /** Notes that a worker has ended. */
  async loseWorker(workerId: string, reason: string): Promise<void> {
    this.#ends.set(workerId, Symbol(reason));
    this.#requests.cancel(workerId);
    await this.#store.loseWorker(workerId, reason);
  }

  /** Declares that no more tasks follow: workers that ask for some are told to end. */
  finish(): void {
    this.#done = true;
    this.#requests.wake();
  }

  /** Ends the job for its workers. If its state cannot be stored, they are not told to end, because another controller may go on with it. */
  close(): void {
    this.#clock.stop();
    if (this.#store.hasFailed) this.#requests.wake();
    else this.finish();
  }

  async #tick(milliseconds: number): Promise<void> {
    const silent = await this.#store.tick(milliseconds, (worker) => this.workers.nameOf(worker));
    // A worker that hangs, or whose machine is gone, may still have an open request. It must not get the same tasks again.
    for (const worker of silent) this.#requests.cancel(worker);
  }

  /** Returns the share of a request; undefined if it must wait. */
  async #serve({ workerId, count, maxHeld, canResume }: TaskRequest): Promise<LeasedTask[] | undefined> {
    if (this.#done) return [];
    const claimed = await this.#store.claim({
      worker: workerId,
      count: count ?? Number.POSITIVE_INFINITY,
      maxHeld: maxHeld ?? Number.POSITIVE_INFINITY,
      workers: this.workers.active(this.#options.leaseSeconds),
      canResume,
    });
    return claimed.length === 0 ? undefined : claimed.map((task) => this.#toLeased(task));
  }

  #toLeased({ leaseId, index, attempt, taskId, groupId, cutLeases }: ClaimedTask): LeasedTask {
    const data = this.#options.readData(index);
    const ids = { lease_id: leaseId, task: index, attempt, task_id: taskId, group_id: groupId };
    return { ...ids, data, cut_leases: [...cutLeases] };
  }
}

function nameTaken({ name, lastCall }: KnownWorker): ApiError {
  const seconds = Math.ceil((performance.now() - lastCall) / 1000);
  const message =
    `Another rollout worker is called ${name}; it called ${seconds} s ago. Give each its own name (--name), or tell that this one ` +
    "replaces it (--replace).";
  return new ApiError("rollout_worker_name_taken", message, { param: "name" });
}

/**
 * Measures time that this process has seen: it stands still while the process does. After a pause, for example because its machine
 * slept, heartbeats wait unread in its sockets. With another clock, every lease would be lost before they are read.
 */
class SteadyClock {
  #lastTick = performance.now();
  #isTicking = false;
  readonly #timer: NodeJS.Timeout;

  /**
   * @param tickMilliseconds time between two ticks. One tick never counts more than twice that time.
   * @param onTick is called at each tick with the time since the last one. The next tick waits for it.
   */
  constructor(tickMilliseconds: number, onTick: (milliseconds: number) => Promise<void>) {
    this.#timer = setInterval(() => {
      if (this.#isTicking) return;
      const time = performance.now();
      const passed = Math.min(time - this.#lastTick, 2 * tickMilliseconds);
      this.#lastTick = time;
      this.#isTicking = true;
      void onTick(passed).finally(() => (this.#isTicking = false));
    }, tickMilliseconds);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
