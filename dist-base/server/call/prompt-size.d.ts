import type { Conversation } from "../../conversation/message.js";
import type { ServerContext } from "../context.js";
/** Estimated size of a call's prompt, before anything is rendered. */
export interface PromptSize {
    /** True if hashing or rendering the prompt takes a millisecond or more. Each of these steps then waits for `turns.next()`. */
    readonly isLong: boolean;
}
/**
 * Measures a conversation. Call this before any work that takes time for each character.
 *
 * @throws ApiError `prompt_too_large`
 */
export declare function measurePrompt({ settings }: ServerContext, conversation: Conversation): PromptSize;
