import type { AcceptedEpisode, EpisodeResult, RejectedEpisode } from "../contract.js";
import type { RejectionCode } from "../rejection.js";
/** The result of one task. */
export interface TaskResult<Data = unknown> extends EpisodeResult {
    /** Position in the order of submission, from 0. */
    readonly index: number;
    readonly taskId: string;
    readonly data: Data;
    /** The weight version when the task began. */
    readonly version: number;
    /** Episodes whose sessions can be exported. Empty if the task was rejected. */
    readonly accepted: readonly AcceptedEpisode[];
    /** Episodes that were rejected. */
    readonly rejected: readonly RejectedEpisode[];
}
/**
 * Returns why a task was rejected; undefined if it was accepted. If a group was dropped because of one member, it is
 * the reason of that member.
 */
export declare function rejectionOf({ accepted, rejected }: EpisodeResult): RejectedEpisode["reason"] | undefined;
/** Number of rejected episodes by reason. */
export type RejectionCounts = ReadonlyMap<RejectionCode, number>;
