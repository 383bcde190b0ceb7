import type { Conversation } from "../conversation/message.js";
import { type Steps } from "../support/async/steps.js";
import type { ChatTemplate } from "./template/chat-template.js";
/**
 * Renders a prompt that ends with the beginning of an answer. The template renders an answer that continues with a marker;
 * the prompt is the text before the marker.
 *
 * @throws TemplateError if the template does not show the beginning of the answer unchanged
 */
export declare function renderPrefilled(template: ChatTemplate, { prefill, ...conversation }: Conversation): Steps<string>;
/**
 * Renders the beginning of the answer after the opening of the assistant's turn; empty if the request has not begun the
 * answer. Undefined if the template opens a turn differently from how it shows one.
 */
export declare function renderPrefillAfterOpening(template: ChatTemplate, conversation: Conversation): string | undefined;
