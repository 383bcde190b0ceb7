import type { EpisodeResult } from "../rollout/contract.js";
import type { RunningTask, TaskRunner } from "../rollout/controller/task-runner.js";
import type { LeasedTask, Updates, WireReport, WireSession } from "../rollout/lease/protocol.js";
import { type EndedLease } from "../rollout/lease/task-leases.js";
import { type LeaseRecords, type RestoredLeases } from "./lease-records.js";
import { type TaskRequest } from "./lease-requests.js";
import type { SessionRemover } from "./session-remover.js";
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
/**
 * Runs the tasks of a controller on rollout workers.
 *
 * 1. `runTask` adds a task, and `lease` gives it to a worker.
 * 2. The worker announces its sessions before its agent runs, and prolongs the lease.
 * 3. `report` ends the task. If the lease is lost first, its sessions are deleted and the task waits again.
 */
export declare class LeasedTasks implements TaskRunner {
    #private;
    readonly workers: WorkerList;
    constructor(options: LeasedTasksOptions);
    /** Tasks that wait for a worker, tasks that one has, workers that wait for tasks, lost attempts, and refused reports. */
    get counts(): {
        queued: number;
        leased: number;
        idle: number;
        lost: number;
        refused: number;
    };
    /** True if no more tasks follow. */
    get done(): boolean;
    leasesOf(workerId: string): number;
    runTask(task: RunningTask, signal: AbortSignal): Promise<EpisodeResult>;
    /** Ends a worker in order: its request is not served, and its tasks go to others. Returns the number of its leases. */
    dismiss(workerId: string, leaseIds: readonly string[]): number;
    /**
     * Notes that sessions of a task that has ended were lost. The next `runTask` of it is one more attempt.
     *
     * @param sessionIds sessions of the task that were not lost. They are deleted.
     */
    reopen(index: number, reason: string, sessionIds: readonly string[]): void;
    /** Waits for tasks and gives them to a worker; none if there are none in time. */
    lease({ held, waitSeconds, ...request }: LeaseRequest, signal: AbortSignal): Promise<LeasedTask[]>;
    /**
     * Notes sessions, ends the tasks of reports, and gives the worker tasks that are there, among them those that could start because
     * others ended.
     */
    update({ workerId, sessions, reports, maxHeld, held }: WorkerUpdate): Promise<Updates>;
    /** Notes the sessions of leases. Returns the leases that are not held any more; their sessions are deleted. */
    announce(sessions: readonly WireSession[]): Promise<string[]>;
    heartbeat(leaseIds: readonly string[]): string[];
    /**
     * Ends the tasks of reports that count. Returns the leases of those that do not; their sessions are deleted.
     *
     * @throws ApiError `server_busy` if the controller restarted and has not started a task again. The call must be repeated.
     */
    report(reports: readonly WireReport[]): Promise<string[]>;
    /** Ends leases whose tasks did not run to their end, in order. Returns their number. */
    giveBack(leaseIds: readonly string[]): number;
    /** Notes that the worker of this name has ended. */
    loseNamed(name: string, reason: string): void;
    /** Notes that a worker has ended. */
    loseWorker(workerId: string, reason: string): void;
    /** Deletes sessions that no task needs. Accepted ones stay, because a broken worker may name those of another task. */
    discard(sessionIds: readonly string[]): void;
    /** Declares that no more tasks follow: workers that ask for some are told to end. */
    finish(): void;
    close(): void;
}
