import type { Change } from "../changes.js";
import type { SegmentToApply } from "./write-ahead-log.js";
/**
 * Reads the changes that one commit must make to apply a segment: those of its records, and the new state of the log.
 *
 * @throws Error if the file does not have the records that were written
 */
export declare function readChangesToApply({ path, log, epoch, bytes }: SegmentToApply): Change[];
