import { z } from "zod";
import type { RecordedTokens } from "../logprobs.js";
import { InsertedJson } from "../raw-json.js";
/** `logprobsResult` of a candidate. Answers have the lists as {@link InsertedJson}. */
export declare const logprobsResult: z.ZodObject<{
    chosenCandidates: z.ZodType<InsertedJson, InsertedJson, z.core.$ZodTypeInternals<InsertedJson, InsertedJson>>;
    topCandidates: z.ZodOptional<z.ZodType<InsertedJson, InsertedJson, z.core.$ZodTypeInternals<InsertedJson, InsertedJson>>>;
}, z.core.$strip>;
/** Returns the log probabilities of all recorded tokens, including the end-of-turn token. Their JSON is written when the answer is sent. */
export declare function toLogprobsResult(runs: readonly RecordedTokens[]): z.input<typeof logprobsResult>;
/** The average log probability of runs of tokens. */
export declare class AverageLogprob {
    #private;
    add({ logprobs }: RecordedTokens): void;
    /** Undefined if the list of tokens is empty. */
    get value(): number | undefined;
}
