import { type WeightVersion } from "../control/weight-version.js";
import { type ServingState } from "./contact/read-health.js";
import { WorkerContact } from "./contact/worker-contact.js";
import type { WorkerWarning } from "./merge-warnings.js";
import type { Upstream } from "./upstream.js";
import type { WorkerAddresses } from "./worker-addresses.js";
/** `down`: the worker does not answer. The other states are those that its `/health` reports. */
export type WorkerState = ServingState | "down";
/** A worker as of its last health report. */
export interface Worker {
    readonly tag: string;
    readonly url: string;
    state: WorkerState;
    /** Free slots. */
    capacity: number;
    /** Sessions that are active or not exported yet. */
    sessions: number;
    /** Slots that this gateway is granting to the worker, which has not answered yet. */
    pendingSlots: number;
    /** Undefined until the worker has answered. */
    weightVersion?: WeightVersion | undefined;
    /** Features of its model that the worker does not support. */
    warnings?: readonly WorkerWarning[] | undefined;
    /** True once the worker has answered a health check. */
    hasAnswered?: boolean;
    readonly contact: WorkerContact;
}
export interface WorkerPoolOptions {
    readonly addresses: WorkerAddresses;
    readonly upstream: Upstream;
    readonly pollSeconds: number;
    /** Time without an answer after which a worker that calls wait for is unreachable. */
    readonly unreachableMilliseconds: number;
    /** Time for which calls wait for a worker after it left. 0: they fail at once. */
    readonly returnMilliseconds: number;
    readonly report: (problem: string) => void;
}
/**
 * The workers of a gateway. The pool gets its information by polling, so a gateway that restarts, or several gateways side by
 * side, find the same workers.
 */
export declare class WorkerPool {
    #private;
    constructor(options: WorkerPoolOptions);
    /** Finds the workers, and then polls them regularly. */
    start(): Promise<void>;
    close(): void;
    /** The weight version that was set last on any worker, including workers that are down. */
    get newestVersion(): WeightVersion;
    learnVersion(version: WeightVersion): void;
    all(): Worker[];
    /** Number of calls that wait for an absent worker. */
    get waiting(): number;
    /** Tags of the workers that cannot be reached but may return. Calls wait for them. */
    get absentTags(): string[];
    /** Number of addresses whose worker's tag is not known. If it is 0, a worker with an unknown tag no longer exists. */
    get unidentified(): number;
    /** Returns the workers that accept new sessions. */
    ready(): Worker[];
    /** Returns the workers that answer. */
    living(): Worker[];
    /**
     * Returns the worker with this tag. If the tag is unknown, refreshes first, because the worker may have started just now. Skips
     * the refresh if there were too many unknown tags recently.
     */
    find(tag: string): Promise<Worker | undefined>;
    /**
     * Returns the worker with this tag, as {@link find} does. If it is absent, waits until it returns, possibly at another address. If
     * it does not return in time, returns its last known state.
     *
     * @param leave called only if the wait begins; returns a signal that ends it
     * @throws the signal's reason if it aborts during the wait
     */
    locate(tag: string, leave: () => AbortSignal): Promise<Worker | undefined>;
    /**
     * Reports that no connection to a worker could be opened. Calls for it wait until it answers a health check.
     *
     * @returns true if the failed call can be sent again: calls wait for the worker, or it has returned at another address
     */
    markAbsent({ tag, url, contact }: Worker): boolean;
    /** Checks a worker whose connection broke during a call. Returns true if it is absent now, or has returned at another address. */
    hasLeft(worker: Worker): Promise<boolean>;
    /** Reads all sources and polls all workers. Calls during a refresh share it. */
    refresh(): Promise<void>;
    /** Polls only workers at addresses that are new since the last refresh. */
    discover(): Promise<void>;
}
