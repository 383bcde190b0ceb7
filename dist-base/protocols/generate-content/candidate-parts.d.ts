import type { RecordedTokens } from "../logprobs.js";
import type { AnswerEvent } from "../output-parts.js";
import { type Candidate, type ResponsePart } from "./response.js";
type CandidateFields = Pick<Candidate, "avgLogprobs" | "logprobsResult">;
/** Turns the events of one candidate of a stream into parts. A function call becomes a part once it is complete. */
export declare class CandidateParts {
    #private;
    /** @param signature names the call */
    constructor(signature: string, includeThoughts: boolean);
    push(events: readonly AnswerEvent[], tokens: RecordedTokens | undefined): ResponsePart[];
    /** Returns the last parts, which end with a signed, empty text. */
    finish(): ResponsePart[];
    /** Returns the log probabilities that were not taken yet. */
    takeLogprobs(): CandidateFields;
    get average(): CandidateFields;
}
export {};
