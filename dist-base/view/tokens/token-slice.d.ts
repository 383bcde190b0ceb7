import type { EpisodeLine } from "../../transcript/format.js";
import type { TokenRange, TokenSlice } from "../api.js";
import type { TokenValues } from "./batch-tokens.js";
import { type TokenEntries } from "./token-texts.js";
/** Tokens of the interactions of one episode. */
export interface EpisodeTokens {
    /**
     * Returns the number of available tokens of an interaction's sequence, prompt and output; undefined if it has no row.
     */
    length(interaction: number): Promise<number | undefined>;
    /** Reads tokens [from, to) of an interaction's sequence. */
    read(interaction: number, from: number, to: number): Promise<TokenValues>;
    /** Returns the divisor of the logits; undefined if it is not known. */
    temperature(interaction: number): Promise<number | undefined>;
}
export declare const MAX_TOKENS = 4096;
/**
 * Reads a range of an interaction's own tokens.
 *
 * @param entries undefined if the tokenizer is not known
 * @throws ApiError `tokens_unavailable`
 */
export declare function readTokenSlice(episode: EpisodeLine, { interaction: index, from, count }: Omit<TokenRange, "episode">, tokens: EpisodeTokens, entries: TokenEntries | undefined): Promise<TokenSlice>;
