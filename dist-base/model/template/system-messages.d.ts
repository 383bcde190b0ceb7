import { type Message } from "../../conversation/message.js";
/** How a template's system messages are given to it, so that it neither refuses nor leaves out any of them. */
export interface SystemRules {
    /** Several system messages at the start: each as it is, or joined to one. */
    readonly leading: "separate" | "joined";
    /**
     * System messages after another message: as they are, as user messages, or as a part of the user message beside them if the
     * template refuses two user messages in a row.
     */
    readonly later: "system" | "user" | "part_of_user";
}
export declare const AS_THEY_ARE: SystemRules;
/**
 * Returns the messages as the rules say.
 *
 * A later system message keeps its place. Moved to the front, it would change the prompt from its beginning, and no prompt would
 * continue an earlier one.
 */
export declare function placeSystemMessages(messages: readonly Message[], rules: SystemRules): readonly Message[];
/** The text by which a system message is shown in a user message. */
export declare const wrapSystem: (content: string) => string;
