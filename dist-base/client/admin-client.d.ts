import type { Readable } from "node:stream";
import type { SessionTranscript } from "../transcript/format.js";
import type { FilterFields } from "./export-filters.js";
import type { ExportStyle } from "./interaction.js";
import { type Interactions } from "./interactions.js";
import { type CallOptions } from "./proxy-calls.js";
import { type Transport } from "./transport.js";
import { type NewWeights, type WeightsOptions, type WeightsStatus } from "./weight-calls.js";
export interface StartSessionOptions extends CallOptions {
    /** Default `task`. */
    readonly taskId?: string | undefined;
    readonly groupId?: string | undefined;
    /** Lease of the rollout job that starts the session, by which {@link AdminClient.deleteLease} finds it. */
    readonly leaseId?: string | undefined;
    /** A session key of the caller's choice, 16 characters or more. */
    readonly apiKey?: string | undefined;
}
export interface StartedSession {
    readonly sessionId: string;
    readonly sessionApiKey: string;
    /**
     * Address of the session's worker, without `/v1`, for model calls that bypass the gateway. If it is undefined, model calls go to
     * the proxy: it is not a gateway with `gateway.direct`, or the worker did not answer at its address.
     */
    readonly baseUrl?: string | undefined;
}
/** Export options, spelled as in docs/reference/http-api.md. */
export interface ExportFields extends FilterFields {
    readonly style?: ExportStyle | undefined;
    readonly discount?: number | undefined;
    readonly concat_reward?: "leaf" | "return" | undefined;
    readonly include_undelivered?: boolean | undefined;
    readonly on_mismatch?: "error" | "split" | undefined;
    readonly wait_seconds?: number | undefined;
    readonly drain_seconds?: number | undefined;
}
export interface TrajectoriesFields extends ExportFields {
    /** Adds the messages, which are untrusted text. */
    readonly include?: readonly "messages"[] | undefined;
}
export interface BatchFields extends ExportFields {
    readonly layout?: "padded" | "packed" | "tree" | undefined;
    readonly pad_token_id?: number | undefined;
    readonly pad_side?: "right" | "left" | undefined;
    readonly pad_to_multiple_of?: number | undefined;
    readonly max_length?: number | undefined;
    readonly overflow?: "error" | "truncate" | "drop" | undefined;
    readonly row_tensors?: boolean | undefined;
    readonly turns?: boolean | undefined;
    readonly shards?: number | undefined;
    readonly shard?: number | undefined;
}
export interface HeldBatchFields extends BatchFields {
    readonly lease_seconds?: number | undefined;
    readonly reader_pid?: number | undefined;
}
export interface SharedBatchFields extends HeldBatchFields {
    /** Keeps the sessions until the files are acknowledged. */
    readonly acknowledge?: boolean | undefined;
}
/** A batch whose sessions the proxy keeps until you acknowledge its id. Do so once you have stored it. */
export interface HeldBatch {
    readonly id: string;
    readonly bytes: Uint8Array;
}
/** A batch that is being received. */
export interface ArrivingBatch {
    /** Undefined if the proxy did not send it. */
    readonly byteLength: number | undefined;
    /** Fails if the connection breaks. The error needs no listener; a later reader finds it in `body.errored`. */
    readonly body: Readable;
}
/** A {@link HeldBatch} that was received piece by piece. */
export interface ReceivedBatch<T> extends Pick<HeldBatch, "id"> {
    /** The result of the receiver. */
    readonly received: T;
}
/** A batch in shared memory. Acknowledge its id once you have read it. */
export interface SharedBatch {
    readonly id: string;
    readonly path: string;
    readonly byteLength: number;
}
/** The trainer's calls to a proxy. Each throws a {@link ProxyError} if it fails. */
export declare class AdminClient {
    #private;
    readonly transport: Transport;
    constructor(transport: Transport, adminKey: string);
    /** Adds slots and returns the number of free ones. */
    grantCapacity(slots?: number, options?: CallOptions): Promise<number>;
    /**
     * Starts a session, which takes a slot. If a gateway returns the address of the worker, this probes the worker there, once for
     * all its sessions.
     *
     * @throws ProxyError `no_capacity` if no slot is free
     */
    startSession({ taskId, groupId, leaseId, apiKey, ...options }?: StartSessionOptions): Promise<StartedSession>;
    /** Sets the weight version of tokens from engines that report none. */
    setVersion(version: number, options?: CallOptions): Promise<void>;
    /**
     * Loads new weights into the engine: calls are held, every engine server loads once, the version is set, calls go on. With
     * `external`, resolves when everything is paused; push the weights to the engine servers and call {@link finishWeights}.
     *
     * @throws ProxyError `weights_failed` if it failed. Calls are held: repeat the update, exclude a server or give up.
     */
    updateWeights(weights: NewWeights, options?: WeightsOptions): Promise<WeightsStatus>;
    /** Finishes an external update: flushes the caches, sets the version, lets calls go on. */
    finishWeights(version: number, options?: WeightsOptions): Promise<WeightsStatus>;
    /** Gives up an update: servers with known weights go on, the others are drained. */
    abandonWeights(options?: CallOptions): Promise<WeightsStatus>;
    /** Returns the weights of the engine servers, and the progress of an update. */
    weights(options?: CallOptions): Promise<WeightsStatus>;
    /** Aborts the session's calls, revokes its key and frees its data. Returns false if there is no such session. */
    deleteSession(sessionId: string, options?: CallOptions): Promise<boolean>;
    /**
     * Returns the messages, answers and rewards of one session, without tokens: untrusted text. The session may be active, ended, or
     * exported and retained.
     *
     * @throws ProxyError `session_not_found`; `session_exported` or `session_expired` if its data was freed
     */
    transcript(sessionId: string, { discount }?: {
        readonly discount?: number | undefined;
    }, options?: CallOptions): Promise<SessionTranscript>;
    /** {@link transcript} as the bytes of the answer, for programs that write it elsewhere. */
    transcriptBytes(sessionId: string, { discount }?: {
        readonly discount?: number | undefined;
    }, options?: CallOptions): Promise<Uint8Array>;
    /**
     * Deletes the active sessions of a lease, also those that its rollout worker did not announce to the controller.
     *
     * @returns their number
     * @throws ProxyError `worker_unavailable` if a worker behind a gateway did not answer; it may have more of them
     */
    deleteLease(leaseId: string, options?: CallOptions): Promise<number>;
    /** Returns what one session recorded. The session must have ended, or end within `wait_seconds`. */
    exportTrajectories(sessionId: string, fields?: TrajectoriesFields, options?: CallOptions): Promise<Interactions>;
    /** Exports sessions as one safetensors block: all of them, or none. */
    exportBatch(sessionIds: readonly string[], fields?: BatchFields, options?: CallOptions): Promise<Uint8Array>;
    /**
     * Exports sessions like {@link exportBatch}, but the proxy keeps them until you call {@link acknowledge}. If you do not within
     * `lease_seconds`, they can be exported again.
     */
    exportHeldBatch(sessionIds: readonly string[], fields?: HeldBatchFields, options?: CallOptions): Promise<HeldBatch>;
    /**
     * Exports sessions like {@link exportHeldBatch}, but passes the batch to `receive` while it arrives, so it need not fit in memory. If the
     * connection breaks or `receive` rejects, the batch is requested again a few times. A {@link ProxyError} is thrown at once.
     */
    receiveHeldBatch<T>(sessionIds: readonly string[], fields: HeldBatchFields, receive: (batch: ArrivingBatch) => Promise<T>, options?: CallOptions): Promise<ReceivedBatch<T>>;
    /** Exports sessions as files in shared memory: one file, or one for each shard. */
    exportSharedBatch(sessionIds: readonly string[], fields?: SharedBatchFields, options?: CallOptions): Promise<SharedBatch[]>;
    /**
     * Tells the proxy that you have stored or read a batch. The proxy then frees the sessions of a held batch, and reuses the
     * memory of a shared one.
     *
     * @returns false if the batch was acknowledged before, or if it is shared and its lease has ended
     * @throws ProxyError `export_lease_ended` if the lease of a held batch has ended, so that its sessions can be exported again
     * @throws ProxyError `worker_unavailable` if a worker behind a gateway does not answer several attempts. Acknowledge the batch
     * again later.
     */
    acknowledge(batchId: string, options?: CallOptions): Promise<boolean>;
}
