import type { Message } from "../../conversation/message.js";
import type { Steps } from "../../support/async/steps.js";
import { type Value } from "../jinja/index.js";
import { type CallRules } from "./call-messages.js";
import { type SystemRules } from "./system-messages.js";
/** The shape of messages that a template expects. It is detected when the template is loaded. */
export interface Dialect {
    /** Arguments of tool calls: a mapping, which is Hugging Face's convention, or JSON text. */
    readonly callArguments: "mapping" | "text";
    /** Content of a message with tool calls and no text: the empty text, or None. */
    readonly emptyContent: "text" | "none";
    /** Value of the variable `tools` if there are no tools: None, or an empty list. */
    readonly noTools: "none" | "list";
    /** The template knows the role `developer`; otherwise `developer` is replaced by `system`. */
    readonly hasDeveloper: boolean;
    /** Name of the field for a message's reasoning. */
    readonly reasoningField: string;
    readonly systemRules: SystemRules;
    readonly callRules: CallRules;
}
/**
 * Converts messages to the mappings that templates expect: `{role, content, name?, reasoning_content?, tool_calls?,
 * tool_call_id?}`. Values are cached by message and shared, because templates cannot change them.
 *
 * A session keeps its messages as long as it lives, so a single WeakMap would keep all their values too. There are two
 * generations instead; values that were not used during two generations are dropped.
 */
export declare class MessageValues {
    #private;
    readonly dialect: Dialect;
    constructor(dialect: Dialect);
    list(messages: readonly Message[]): Steps<readonly Value[]>;
}
