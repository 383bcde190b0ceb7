import type { InspectedBatch } from "./inspect-batch.js";
/**
 * Returns the warnings about a batch: its findings, and warnings from metadata that batches without row tensors have
 * too.
 */
export declare function listWarnings({ header, findings }: InspectedBatch): string[];
