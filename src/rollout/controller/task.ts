import type { AcceptedEpisode, EpisodeResult, RejectedEpisode } from "../contract.js";
import type { RejectionCode } from "../rejection.js";

/** What came of one task. */
export interface TaskResult<Data = unknown> extends EpisodeResult {
  /** Tasks count from 0 in the order in which they were submitted. */
  readonly index: number;
  readonly taskId: string;
  readonly data: Data;
  /** The weight version that stood when it began. */
  readonly version: number;
  /** Its sessions that may be exported; none where the task was rejected. */
  readonly accepted: readonly AcceptedEpisode[];
  /** Members of an accepted task that were rejected: its group is incomplete. */
  readonly rejected: readonly RejectedEpisode[];
}

/**
 * Why a task gave nothing: the first reason of its own, where the members of a group were dropped for the sake of
 * another. Undefined where it gave something.
 */
export function rejectionOf({ accepted, rejected }: EpisodeResult): RejectedEpisode["reason"] | undefined {
  if (accepted.length > 0) return undefined;
  return (rejected.find(({ reason }) => reason.code !== "group_incomplete") ?? rejected[0])?.reason;
}

/** How many episodes were rejected for which reason. */
export type RejectionCounts = ReadonlyMap<RejectionCode, number>;
