import type { InspectedBatch } from "./inspect-batch.js";
/**
 * Returns what `rolltape inspect` prints.
 *
 * @param listed number of rows to list one by one
 */
export declare function describeBatch(file: string, batch: InspectedBatch, listed: number): string;
