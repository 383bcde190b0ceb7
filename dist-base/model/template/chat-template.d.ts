/**
 * The room `template` turns a conversation into the text of a prompt. This file renders a model's chat template with
 * jinja/, which knows nothing of messages. dialect.ts finds out which shape of messages the template expects, and
 * message-values.ts, from-json.ts and from-js.ts convert messages, JSON and variables to template values.
 */
import type { Conversation } from "../../conversation/message.js";
import { type Steps } from "../../support/async/steps.js";
import { type Value } from "../jinja/index.js";
export interface ChatTemplateOptions {
    /** The tokenizer's special tokens, by the names that templates use, such as `bos_token`. */
    readonly specialTokens: ReadonlyMap<string, string>;
    /** Clock for `strftime_now`. */
    readonly now: () => Date;
    /** Variables of every rendering. A conversation's own variables override them key by key. */
    readonly templateArgs: Readonly<Record<string, unknown>>;
}
/** A model's chat template. It renders prompts like `apply_chat_template` of `transformers`. */
export declare class ChatTemplate {
    #private;
    readonly source: string;
    /** The template refuses or leaves out all but one call of a message, so each call gets a message of its own. */
    readonly dividesCalls: boolean;
    /** @throws Error if the template does not parse, or refuses a conversation with one user message */
    constructor(source: string, options: ChatTemplateOptions);
    /**
     * Renders a conversation.
     *
     * @param addGenerationPrompt adds the opening of the assistant's next turn
     * @throws TemplateError if the template refuses the conversation
     */
    render(conversation: Conversation, addGenerationPrompt: boolean): string;
    /** Renders a conversation in parts: one for each message if the template loops over messages at its outermost level. */
    renderParts(conversation: Conversation, addGenerationPrompt: boolean): string[];
    /** {@link renderParts} in steps, for conversations of thousands of messages or calls. */
    renderInSteps(conversation: Conversation, addGenerationPrompt: boolean): Steps<string[]>;
    /** Returns the variables of {@link render}, so that another renderer can be compared with it. */
    variables(conversation: Conversation, addGenerationPrompt: boolean): ReadonlyMap<string, Value>;
}
