import type { Conversation } from "../../conversation/message.js";
import type { ChatTemplate } from "../template/chat-template.js";
/** Returns the text that a template renders after the last marker; undefined if it refuses or does not show the marker. */
export declare function renderAfterMarker(template: ChatTemplate, marker: string, conversation: Conversation, addGenerationPrompt: boolean): string | undefined;
