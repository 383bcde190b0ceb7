import type { Message } from "../../conversation/message.js";
/** How messages with tool calls are given to a template, so that it neither refuses nor leaves out what a model wrote. */
export interface CallRules {
    /** The calls of a message: together, or each in a message of its own that its result follows. */
    readonly calls: "together" | "one_by_one";
    /** Text beside reasoning and calls: as content, or at the end of the reasoning if the template refuses both together. */
    readonly text: "content" | "reasoning";
}
export declare const CALLS_AS_THEY_ARE: CallRules;
/** Returns the messages as the rules say. */
export declare function placeCalls(messages: readonly Message[], rules: CallRules): readonly Message[];
