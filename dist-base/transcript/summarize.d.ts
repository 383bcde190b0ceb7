import type { EpisodeLine, EpisodeSummary, IndexLine, InteractionsSummary, Place, TranscriptInteraction, TranscriptLine } from "./format.js";
/** The fields of an interaction that a summary needs. */
type Summarized = Omit<TranscriptInteraction, "tools">;
/** Returns the line of the index for a line of the transcript. */
export declare function toIndexLine(line: TranscriptLine, { offset, length }: Place): IndexLine;
/** Returns what a list of episodes shows of one. */
export declare function summarizeEpisode({ interactions, ...head }: EpisodeLine): EpisodeSummary;
/** Returns the summary of an episode whose interactions are summarized already. */
export declare function joinSummary({ error, ...head }: Omit<EpisodeLine, "interactions">, interactions: InteractionsSummary): EpisodeSummary;
/** @param sessionReward the reward with the scope of the session */
export declare function summarizeInteractions(interactions: readonly Summarized[], sessionReward: number | undefined): InteractionsSummary;
export {};
