import { type BatchFields, type SharedBatch, type SharedBatchFields } from "../../client/admin-client.js";
import type { CallOptions } from "../../client/proxy-calls.js";
import type { RolloutEngine } from "../contract.js";
import type { TaskResult } from "./task.js";
/**
 * Accepted tasks that the trainer consumes together. Their sessions have ended, and keep their data until the export.
 */
export declare class RolloutBatch<Data = unknown> {
    #private;
    /** In the order in which they were submitted. */
    readonly tasks: readonly TaskResult<Data>[];
    /** The weight version at the time when the batch was complete. */
    readonly version: number;
    /** @param fields default fields of the export */
    constructor(tasks: readonly TaskResult<Data>[], version: number, engine: RolloutEngine, fields: BatchFields);
    /** Session ids in the order of the tasks, and of the members of each group. */
    get sessionIds(): string[];
    /**
     * Exports all sessions as one safetensors block. If that fails, no session is exported, and it can be called again.
     */
    export(fields?: BatchFields, options?: CallOptions): Promise<Uint8Array>;
    /** Exports all sessions as files in shared memory. */
    exportShared(fields?: SharedBatchFields, options?: CallOptions): Promise<SharedBatch[]>;
    /** Frees the sessions without an export. */
    discard(options?: CallOptions): Promise<void>;
}
