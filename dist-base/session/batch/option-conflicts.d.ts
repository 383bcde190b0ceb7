import type { BatchOptions } from "./batch-options.js";
/**
 * Refuses options of an export that contradict each other.
 *
 * Call it before the sessions are looked up. Otherwise the error of an unknown session would hide the conflict.
 *
 * @throws SessionError `invalid_value`
 */
export declare function refuseConflicts(options: BatchOptions): void;
