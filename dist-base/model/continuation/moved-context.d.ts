import type { ChatTemplate } from "../template/chat-template.js";
import { ByShape } from "./conversation-shape.js";
/**
 * Finds out, per shape, whether a template shows the system message or the tools after an answer once another message
 * follows it. Some templates show them with the last user message.
 */
export declare function probeMovedContext(template: ChatTemplate): ByShape<boolean>;
