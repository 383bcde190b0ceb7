import { z } from "zod";
import type { TopLogprobs } from "../native/contract.js";
import { InsertedJson, RawJson } from "./raw-json.js";
import type { TokenJson } from "./token-json.js";
/** Recorded output tokens. */
export interface RecordedTokens {
    readonly ids: Int32Array;
    readonly logprobs: Float32Array;
    readonly top: TopLogprobs | undefined;
    /** Writes entries of the model's tokens. */
    readonly tokenJson: TokenJson;
}
/**
 * Log probabilities of a text: its tokens in one or more runs, or their JSON. As objects they would take about 30 times the memory
 * of the runs, and one long answer would stall the event loop for seconds.
 */
export type Logprobs = readonly RecordedTokens[] | RawJson;
/** `logprobs` of a choice or of a text part: one entry per recorded token. Answers have it as {@link InsertedJson}. */
export declare const tokenLogprobs: z.ZodType<InsertedJson, InsertedJson>;
/** Returns how many tokens may be written without letting the event loop run. */
export declare function sliceLength(topWidth: number): number;
/** Returns one entry per recorded token, including the end-of-turn token. They are written when the answer is sent. */
export declare function toLogprobs(logprobs: Logprobs): InsertedJson;
/** Returns the memory of recorded tokens, in bytes. */
export declare function measureLogprobs(logprobs: Logprobs): number;
