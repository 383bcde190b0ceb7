import type { ArrivingBatch } from "../../client/admin-client.js";
import { PartialBatch, type PartialFileSystem } from "./partial-batch.js";
/** A batch that has arrived: in a partial file, or in memory if the disk did not accept it. */
export type BatchContent = PartialBatch | Uint8Array;
/** Where a batch goes. All attempts to receive one batch share it. */
export interface BatchTarget {
    readonly file: string;
    /** True after a sync that failed: the next attempt receives the batch into memory. */
    isDiskUnsafe?: boolean;
}
/**
 * Receives a batch into a partial file beside `file`, and syncs it. If the disk does not accept it, the rest is received into memory
 * together with what the file has.
 *
 * After a sync that failed, nobody knows what the file contains: the system may have dropped the bytes. This then fails, so that
 * the proxy sends the batch again. If the batch is not complete, no file is left.
 *
 * @throws ProxyError `invalid_reply` if it is not a safetensors file
 */
export declare function receiveBatch(batch: ArrivingBatch, target: BatchTarget, disk?: PartialFileSystem): Promise<BatchContent>;
