import type { ChatModel } from "../../model/chat-model.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { RecordedTokens } from "../../protocols/logprobs.js";
import { TokenJson } from "../../protocols/token-json.js";
/**
 * Reads the tokens of a generation in slices. The native generation returns a copy of everything from an index to its end. A
 * copy of the rest for each slice of a long output would take quadratic time, so one copy serves many slices.
 */
export declare class TokenSlices {
    #private;
    constructor(model: ChatModel, generation: NativeGeneration);
    /** Returns the tokens `from` (inclusive) `to` (exclusive), as copies. */
    read(from: number, to: number): RecordedTokens;
}
/** Returns the tokens of a generation from an index to its end, as copies. */
export declare function readRecordedTokens(model: ChatModel, generation: NativeGeneration, from: number): RecordedTokens;
/** Returns what writes the log probabilities of a model's tokens. All answers share it. */
export declare function tokenJsonFor(model: ChatModel): TokenJson;
