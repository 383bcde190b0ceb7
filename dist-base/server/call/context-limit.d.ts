import { ApiError } from "../../http/errors.js";
import type { Api } from "../../session/interaction.js";
import type { ServerContext } from "../context.js";
/** Returns the number of tokens that prompt and output of one call may have together. */
export declare function readContextLimit({ engine, settings }: ServerContext): Promise<number>;
export interface LongPrompt {
    readonly api: Api;
    readonly limit: number;
    readonly promptTokens: number;
    /** `part`: the prompt was not encoded to its end, so it has more than `promptTokens`. */
    readonly counted: "all" | "part";
}
/**
 * Returns the error for a prompt that leaves no room for an output token. Clients shorten their history when they recognize
 * this error by its text, so the text is that of each protocol's own API.
 */
export declare function contextLengthError(prompt: LongPrompt): ApiError;
