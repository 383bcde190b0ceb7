import type { MetadataRow } from "../../batch-file/batch-rows.js";
import type { InspectedColumns } from "./columns.js";

/** An episode of a batch. */
export interface BatchEpisode {
  readonly groupId: string | null;
  /** Sum of the rewards that the agent returned, without discount. */
  readonly reward: number;
}

/** Returns the episodes of a batch by session, in the order of their rows. None if the file has no row tensors. */
export function readEpisodes(
  rows: readonly MetadataRow[],
  columns: InspectedColumns,
): ReadonlyMap<string, BatchEpisode> {
  const rewards = columns.get("episode_reward")?.values;
  const episodes = new Map<string, BatchEpisode>();
  if (!rewards) return episodes;
  for (const [row, { session_id, group_id }] of rows.entries()) {
    episodes.set(session_id, { groupId: group_id, reward: rewards[row] ?? 0 });
  }
  return episodes;
}
