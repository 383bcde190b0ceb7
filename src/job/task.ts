import type { AcceptedEpisode, EpisodeResult, RejectedEpisode } from "../rollout/contract.js";
import type { RejectionCode } from "../rollout/rejection.js";

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
export function rejectionOf({ accepted, rejected }: EpisodeResult): RejectedEpisode["reason"] | undefined {
  if (accepted.length > 0) return undefined;
  return (rejected.find(({ reason }) => reason.code !== "group_incomplete") ?? rejected[0])?.reason;
}

/** Number of rejected episodes by reason. */
export type RejectionCounts = ReadonlyMap<RejectionCode, number>;
