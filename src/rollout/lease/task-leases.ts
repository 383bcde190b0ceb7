import { SortedNumbers } from "./sorted-numbers.js";

export interface LeaseLimits {
  /** Time after which a lease without a heartbeat is lost. */
  readonly leaseMilliseconds: number;
  /** Number of times that a task may run. A lease that its worker gives back does not count. */
  readonly maxAttempts: number;
}

/** The right of one worker to run one task once. */
export interface Lease {
  readonly id: string;
  readonly task: number;
  /** Number of this run of the task, from 1. */
  readonly attempt: number;
  readonly worker: string;
}

/** A lease as it is stored, with the sessions that its worker has announced. */
export interface HeldLease extends Lease {
  readonly sessions: readonly string[];
}

/** A lease that ended without an accepted report. */
export interface EndedLease extends HeldLease {
  /** If the task may not run again: why each of its attempts was lost. */
  readonly exhausted?: readonly string[] | undefined;
}

/** Names the run that a report is about. All three must be those of the lease. */
export interface ReportedRun {
  readonly leaseId: string;
  readonly task: number;
  readonly attempt: number;
}

/**
 * - `accepted`: the report counts. The task is done.
 * - `repeated`: the same report was accepted before.
 * - `refused`: the lease is not held any more. The caller must delete the sessions of the report.
 */
export type ReportOutcome = "accepted" | "repeated" | "refused";

interface TaskState {
  /** Why earlier attempts were lost. */
  readonly losses: string[];
  lease?: HeldState | undefined;
  /** The lease whose report was accepted. */
  acceptedLease?: string | undefined;
}

interface HeldState extends Lease {
  readonly sessions: Set<string>;
  expiresAt: number;
}

/**
 * Which worker runs which task. A task runs at least once, and exactly one report of it is accepted: that of the lease that
 * holds the task when the report comes.
 *
 * ```
 *            lease()            report()
 *  waiting ──────────▶ leased ──────────▶ done
 *     ▲                  │
 *     │ giveBack()       │ expire(), loseWorker()
 *     ├──────────────────┤
 *     │                  ▼
 *     └───────────── attempt lost ──────▶ removed, after maxAttempts
 * ```
 *
 * It has no clock and no I/O. `now` is in milliseconds and never decreases.
 */
export class TaskLeases {
  readonly #limits: LeaseLimits;
  readonly #newId: () => string;
  readonly #tasks = new Map<number, TaskState>();
  readonly #waiting = new SortedNumbers();
  readonly #leases = new Map<string, HeldState>();
  readonly #leasesOf = new Map<string, Set<HeldState>>();

  /** @param newId returns a lease id that was never used, also not before a restart */
  constructor(limits: LeaseLimits, newId: () => string) {
    this.#limits = limits;
    this.#newId = newId;
  }

  /** Number of tasks that wait for a worker. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of tasks that a worker holds. */
  get leased(): number {
    return this.#leases.size;
  }

  /** Adds a task that waits for a worker. Has no effect if the task is known and not done. */
  add(task: number, losses: readonly string[] = []): void {
    if (this.#tasks.has(task)) return;
    this.#tasks.set(task, { losses: [...losses] });
    this.#waiting.add(task);
  }

  /** Adds a lease from before a restart. Its worker has the whole lease time to send a heartbeat. */
  restore({ sessions, ...lease }: HeldLease, losses: readonly string[], now: number): void {
    const held: HeldState = { ...lease, sessions: new Set(sessions), expiresAt: now + this.#limits.leaseMilliseconds };
    this.#tasks.set(lease.task, { losses: [...losses], lease: held });
    this.#hold(held);
  }

  /** Notes a report that was accepted before a restart, so that it is accepted when it is sent again. */
  restoreDone(task: number, acceptedLease: string | undefined, losses: readonly string[]): void {
    this.#tasks.set(task, { losses: [...losses], acceptedLease });
  }

  /**
   * Gives waiting tasks to a worker, those with the lowest numbers first. A task that runs again is therefore among the first.
   *
   * A worker has at most one task in its last attempt, if earlier ones were lost. A task that kills its worker, for example by its
   * memory, takes others with it, but not to their end.
   */
  lease(worker: string, count: number, now: number): Lease[] {
    const leases: Lease[] = [];
    while (leases.length < count) {
      const task = this.#waiting.takeFirst((each) => !this.#isLastAttempt(each) || !this.#hasLastAttempt(worker));
      if (task === undefined) break;
      const state = this.#state(task);
      const lease: Lease = { id: this.#newId(), task, attempt: state.losses.length + 1, worker };
      state.lease = { ...lease, sessions: new Set(), expiresAt: now + this.#limits.leaseMilliseconds };
      this.#hold(state.lease);
      leases.push(lease);
    }
    return leases;
  }

  /** Prolongs leases. Returns those that are not held any more. */
  renew(leaseIds: readonly string[], now: number): string[] {
    return leaseIds.filter((id) => {
      const lease = this.#leases.get(id);
      if (lease) lease.expiresAt = now + this.#limits.leaseMilliseconds;
      return lease === undefined;
    });
  }

  /** Notes a session of a lease, before its agent runs. Returns false if the lease is not held any more. */
  announce(leaseId: string, session: string): boolean {
    const lease = this.#leases.get(leaseId);
    lease?.sessions.add(session);
    return lease !== undefined;
  }

  /** Decides whether a report counts. */
  report({ leaseId, task, attempt }: ReportedRun): ReportOutcome {
    const state = this.#tasks.get(task);
    if (state?.acceptedLease === leaseId && attempt === state.losses.length + 1) return "repeated";
    const lease = this.#leases.get(leaseId);
    if (state === undefined || lease?.task !== task || lease.attempt !== attempt) return "refused";
    this.#release(lease);
    state.acceptedLease = leaseId;
    return "accepted";
  }

  /** Ends a lease whose task did not run or was stopped in order. The task waits again. */
  giveBack(leaseId: string): EndedLease | undefined {
    const lease = this.#leases.get(leaseId);
    if (!lease) return undefined;
    this.#release(lease);
    this.#waiting.add(lease.task);
    return toHeld(lease);
  }

  /**
   * Ends leases without a heartbeat in time. Their tasks wait again, or are removed if they ran too often.
   *
   * @param nameOf returns the name of a worker in messages
   */
  expire(now: number, nameOf = (worker: string): string => worker): EndedLease[] {
    const late = [...this.#leases.values()].filter(({ expiresAt }) => expiresAt <= now);
    const why = `sent no heartbeat for ${this.#limits.leaseMilliseconds / 1000} s`;
    return late.map((lease) => this.#lose(lease, `rollout worker ${nameOf(lease.worker)} ${why}`));
  }

  /** Ends a lease whose report cannot count. */
  lose(leaseId: string, reason: string): EndedLease | undefined {
    const lease = this.#leases.get(leaseId);
    return lease && this.#lose(lease, reason);
  }

  /** Ends the leases of a worker that is known to have ended. `reason` says how. */
  loseWorker(worker: string, reason: string): EndedLease[] {
    return this.held(worker).map((lease) => this.#lose(lease, reason));
  }

  /** Forgets a task, also one that is done. Returns its lease, if a worker has it. */
  remove(task: number): HeldLease | undefined {
    const lease = this.#tasks.get(task)?.lease;
    if (lease) this.#release(lease);
    this.#waiting.delete(task);
    this.#tasks.delete(task);
    return lease && toHeld(lease);
  }

  /** Why attempts of a task were lost. */
  losses(task: number): readonly string[] {
    return this.#tasks.get(task)?.losses ?? [];
  }

  /** Returns true if the lease is held. */
  has(leaseId: string): boolean {
    return this.#leases.has(leaseId);
  }

  get(leaseId: string): HeldLease | undefined {
    const lease = this.#leases.get(leaseId);
    return lease && toHeld(lease);
  }

  /** Leases of a worker; of all workers if none is given. */
  held(worker?: string): HeldState[] {
    return [...(worker === undefined ? this.#leases.values() : (this.#leasesOf.get(worker) ?? []))];
  }

  /** Number of leases of a worker. */
  countOf(worker: string): number {
    return this.#leasesOf.get(worker)?.size ?? 0;
  }

  #hasLastAttempt(worker: string): boolean {
    return this.held(worker).some(({ task }) => this.#isLastAttempt(task));
  }

  #isLastAttempt(task: number): boolean {
    const { length } = this.#state(task).losses;
    return length > 0 && length === this.#limits.maxAttempts - 1;
  }

  #lose(lease: HeldState, reason: string): EndedLease {
    this.#release(lease);
    return { ...toHeld(lease), exhausted: this.#addLoss(lease.task, reason) };
  }

  #addLoss(task: number, reason: string): readonly string[] | undefined {
    const { losses } = this.#state(task);
    losses.push(reason);
    if (losses.length < this.#limits.maxAttempts) {
      this.#waiting.add(task);
      return undefined;
    }
    this.#tasks.delete(task);
    return losses;
  }

  #hold(lease: HeldState): void {
    this.#leases.set(lease.id, lease);
    const own = this.#leasesOf.get(lease.worker) ?? new Set();
    this.#leasesOf.set(lease.worker, own.add(lease));
  }

  #release(lease: HeldState): void {
    this.#leases.delete(lease.id);
    const own = this.#leasesOf.get(lease.worker);
    own?.delete(lease);
    if (own?.size === 0) this.#leasesOf.delete(lease.worker);
    this.#state(lease.task).lease = undefined;
  }

  #state(task: number): TaskState {
    const state = this.#tasks.get(task);
    if (!state) throw new Error(`Task ${task} is unknown.`);
    return state;
  }
}

function toHeld({ id, task, attempt, worker, sessions }: HeldState): HeldLease {
  return { id, task, attempt, worker, sessions: [...sessions] };
}
