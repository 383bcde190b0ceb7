import type { EpisodeLine } from "../../transcript/format.js";
import type { BatchTokens, TokenValues } from "./batch-tokens.js";
import type { EpisodeTokens } from "./token-slice.js";
/** Reads the tokens of an episode from the files of its batch: one, or one per shard. */
export declare class RowTokens implements EpisodeTokens {
    #private;
    constructor({ interactions, session_id: sessionId }: EpisodeLine, batches: readonly BatchTokens[]);
    length(index: number): Promise<number | undefined>;
    read(index: number, from: number, to: number): Promise<TokenValues>;
    temperature(index: number): Promise<number | undefined>;
}
