import type { EpisodeLine } from "./api.js";
/** Time after which a search returns what it has found. */
export declare const SEARCH_MS = 2000;
/**
 * Returns true if an episode contains a text: in a message, an answer, a tool call, its task id or its error message.
 *
 * @param wanted the text in lower case
 */
export declare function episodeContains({ interactions, error, task_id: task }: EpisodeLine, wanted: string): boolean;
