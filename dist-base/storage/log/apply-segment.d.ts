import type { Change } from "../changes.js";
import type { SegmentToApply } from "./write-ahead-log.js";
/**
 * Reads what must be committed to apply a segment.
 *
 * @throws Error if the file does not have the records that were written
 */
export declare function readChangesToApply({ path, log, epoch, bytes }: SegmentToApply): Change[];
