import type { Conversation } from "../../conversation/message.js";
import { type TemplateArgs } from "../../conversation/template-args.js";
import type { ChatTemplate } from "../template/chat-template.js";
/**
 * Returns true if the conversation's header would differ with the `earlier` template variables. The header is all text
 * before the first user message. Variables that only affect later messages or the opening of the next turn do not
 * change it.
 */
export declare function changesHeader(template: ChatTemplate, conversation: Conversation, earlier: TemplateArgs | undefined): boolean;
