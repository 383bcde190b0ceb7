import type { Steps } from "../../support/async/steps.js";
/** A field of requests that holds messages with calls as JSON values. */
export interface CallMessages {
    readonly name: "messages" | "contents";
    /** Returns the values of a message whose spelling a prompt can show. */
    readonly listValues: (message: unknown) => unknown[];
}
/**
 * Restores the spelling of tool-call arguments in Anthropic's messages and Gemini's contents, which hold them as JSON values. The
 * prompt must show them as the model wrote them. Only messages in which `JSON.parse` may have changed a value are parsed again.
 *
 * @param text the body
 * @param messages the parsed messages of the body
 * @returns `messages` itself if nothing was restored
 */
export declare function restoreCallSpelling(text: string, messages: readonly unknown[], { name, listValues }: CallMessages): Steps<readonly unknown[]>;
/** `messages` of Anthropic's API. */
export declare const ANTHROPIC_MESSAGES: CallMessages;
/** `contents` of Gemini's API. */
export declare const GEMINI_CONTENTS: CallMessages;
