import type { ChatTemplate } from "../template/chat-template.js";
import { ByShape } from "./conversation-shape.js";
/**
 * Finds out, per shape, whether the text that a template renders after a turn depends on earlier turns. Some templates
 * number tool calls through the whole conversation, or remember whether there was one.
 */
export declare function probeHistoryDependence(template: ChatTemplate): ByShape<boolean>;
