import { type MergedBatch, type MergeOptions } from "../merge/merge-parts.js";
import type { Upstream } from "../upstream.js";
import type { Worker, WorkerPool } from "../worker-pool.js";
/** A worker and those sessions of the batch that it has. */
export interface WorkerShare {
    /** Replaced when the worker returns at another address. */
    worker: Worker;
    readonly sessionIds: readonly string[];
}
export interface BatchExportOptions {
    readonly pool: WorkerPool;
    readonly upstream: Upstream;
    readonly shares: readonly WorkerShare[];
    /** The client's key. */
    readonly headers: Readonly<Record<string, string>>;
    /** Aborts when the client disconnects. */
    readonly signal: AbortSignal;
}
/** The lease of every part of a batch that the client wants to acknowledge. */
export interface BatchLease {
    readonly export_id: string;
    readonly lease_seconds: number;
}
/**
 * Exports one batch over several workers, in three steps:
 *
 * 1. Every worker waits until its sessions can be exported.
 * 2. Every worker packs its part and holds it.
 * 3. If all parts arrived and fit together, every worker marks its sessions as exported. If the batch has a lease, it keeps them
 *    until the batch is acknowledged.
 *
 * If a step fails, no session is exported. A worker that receives no further call drops its part after {@link HOLD_SECONDS}.
 *
 * A worker that dies in the third step may return with its sessions. It has dropped its part then, and does steps 2 and 3 again.
 */
export declare class BatchExport {
    #private;
    constructor(options: BatchExportOptions);
    /**
     * Waits until every session can be exported. If a worker leaves, waits for its return. If it does not return, stops waiting for
     * the others.
     *
     * @throws {@link ApiError} that names each session that cannot be exported
     */
    waitUntilReady(waits: object): Promise<void>;
    /**
     * Returns the batch once every worker has marked its sessions as exported.
     *
     * @param sessionIds all sessions in the order of the batch
     * @param request options of the parts
     * @param lease absent if the client does not acknowledge the batch
     */
    collect(sessionIds: readonly string[], request: object, options: MergeOptions, lease?: BatchLease): Promise<MergedBatch>;
    /** Ends the lease of a batch that the client did not receive. On a worker that does not answer, the lease ends by its time. */
    withdraw({ export_id: id }: BatchLease): Promise<void>;
}
