import type { EpisodeSummary, Place } from "./format.js";
type Entry = EpisodeSummary & Place;
/**
 * Returns true only if a value is an episode of the index that `schema.ts` would return as it is: all fields are valid, and there are no
 * others. The schema takes ten times as long, which is most of the time in which a long index is read.
 */
export declare function isEpisodeEntry(value: unknown): value is Entry;
export {};
