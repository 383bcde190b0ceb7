import type { EpisodeSummary } from "../transcript/format.js";
import type { EpisodeColumns } from "./api.js";
/**
 * Returns episodes by column.
 *
 * @param batchOf returns the number of the batch that has an episode; -1 for none
 */
export declare function toColumns(episodes: readonly EpisodeSummary[], batchOf?: (episode: EpisodeSummary) => number): EpisodeColumns;
