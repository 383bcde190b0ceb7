import type { InspectedBatch } from "./inspect-batch.js";
import type { ShownRow } from "./row-text.js";
/**
 * Returns what `rolltape inspect --json` prints.
 *
 * @param listed number of rows to list
 */
export declare function reportJson(file: string, batch: InspectedBatch, listed: number): object;
/** Returns what `rolltape inspect --text --json` prints. */
export declare function rowJson({ row, entry, reward, tokens, texts, warnings }: ShownRow): object;
