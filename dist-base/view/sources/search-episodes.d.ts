import type { Place } from "../../transcript/format.js";
import type { SearchResult } from "../api.js";
/**
 * Searches the messages of episodes for a text, without regard to case. The file is read in windows of some megabytes, and
 * a line is parsed only if its bytes contain a part of the text.
 *
 * @param signal ends the search when the client disconnects
 */
export declare function searchEpisodes(path: string, places: readonly Place[], text: string, signal: AbortSignal): Promise<SearchResult>;
