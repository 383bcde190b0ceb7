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
export declare class TaskLeases {
    #private;
    /** @param newId returns a lease id that was never used, also not before a restart */
    constructor(limits: LeaseLimits, newId: () => string);
    /** Number of tasks that wait for a worker. */
    get waiting(): number;
    /** Number of tasks that a worker holds. */
    get leased(): number;
    /** Adds a task that waits for a worker. Has no effect if the task is known and not done. */
    add(task: number, losses?: readonly string[]): void;
    /** Adds a lease from before a restart. Its worker has the whole lease time to send a heartbeat. */
    restore({ sessions, ...lease }: HeldLease, losses: readonly string[], now: number): void;
    /** Notes a report that was accepted before a restart, so that it is accepted when it is sent again. */
    restoreDone(task: number, acceptedLease: string | undefined, losses: readonly string[]): void;
    /**
     * Gives waiting tasks to a worker, those with the lowest numbers first. A task that runs again is therefore among the first.
     *
     * A worker has at most one task in its last attempt, if earlier ones were lost. A task that kills its worker, for example by its
     * memory, takes others with it, but not to their end.
     */
    lease(worker: string, count: number, now: number): Lease[];
    /** Prolongs leases. Returns those that are not held any more. */
    renew(leaseIds: readonly string[], now: number): string[];
    /** Notes a session of a lease, before its agent runs. Returns false if the lease is not held any more. */
    announce(leaseId: string, session: string): boolean;
    /** Decides whether a report counts. */
    report({ leaseId, task, attempt }: ReportedRun): ReportOutcome;
    /** Ends a lease whose task did not run or was stopped in order. The task waits again. */
    giveBack(leaseId: string): EndedLease | undefined;
    /** Ends leases without a heartbeat in time. Their tasks wait again, or are removed if they ran too often. */
    expire(now: number): EndedLease[];
    /** Ends a lease whose report cannot count. */
    lose(leaseId: string, reason: string): EndedLease | undefined;
    /** Ends the leases of a worker that is known to have ended. `reason` says how. */
    loseWorker(worker: string, reason: string): EndedLease[];
    /** Forgets a task, also one that is done. Returns its lease, if a worker has it. */
    remove(task: number): HeldLease | undefined;
    /** Why attempts of a task were lost. */
    losses(task: number): readonly string[];
    /** Returns true if the lease is held. */
    has(leaseId: string): boolean;
    get(leaseId: string): HeldLease | undefined;
    /** Leases of a worker; of all workers if none is given. */
    held(worker?: string): HeldState[];
    /** Number of leases of a worker. */
    countOf(worker: string): number;
}
export {};
