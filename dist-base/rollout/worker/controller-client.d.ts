import type { ConnectionPool } from "../../client/connection-pool.js";
import { type JobSettings, type Updates, type WireReport, type WireSession } from "../lease/protocol.js";
export interface ControllerClientOptions {
    /** Returns the controller's address, which may be another one after a restart; undefined if it is not known yet. */
    readonly locate: () => Promise<string | undefined>;
    readonly adminKey: string;
    readonly connections: ConnectionPool;
    /** Time for which a controller that does not answer is called again. */
    readonly patienceSeconds: number;
    /** Is called when the controller stops answering, and with undefined when it answers again. */
    readonly onTrouble?: ((why: string | undefined) => void) | undefined;
}
/** The leases that a worker knows. */
export interface HeldLeases {
    readonly read: () => readonly string[];
    /** The first call tells them, too. */
    readonly isTold: boolean;
}
/** A rollout worker's calls to its controller. Each is repeated until the controller answers or is given up. */
export declare class ControllerClient {
    #private;
    constructor(options: ControllerClientOptions);
    /** Registers the worker. Returns what it must know about the job. */
    register(workerId: string, name: string, signal?: AbortSignal): Promise<JobSettings>;
    /** Waits for tasks. A repeated call tells which leases the worker knows, because the answer to the first one may be lost. */
    lease(body: {
        readonly worker_id: string;
        readonly count: number;
        readonly max_held: number;
        readonly wait_seconds: number;
    }, held: HeldLeases, signal: AbortSignal): Promise<{
        state: "done" | "running";
        leases: {
            lease_id: string;
            task: number;
            attempt: number;
            task_id: string;
            group_id: string;
            data: unknown;
        }[];
    }>;
    /** Announces sessions, reports results and takes tasks. A repeated call tells which leases the worker knows. */
    update(body: {
        readonly worker_id: string;
        readonly sessions: readonly WireSession[];
        readonly reports: readonly WireReport[];
        readonly max_held?: number | undefined;
    }, held: Pick<HeldLeases, "read">): Promise<Updates>;
    /** Prolongs leases. Returns those that are lost. */
    heartbeat(workerId: string, leaseIds: readonly string[], signal: AbortSignal): Promise<string[]>;
    giveBack(workerId: string, leaseIds: readonly string[], signal: AbortSignal): Promise<void>;
}
