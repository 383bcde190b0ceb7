import type { Conversation } from "../../conversation/message.js";
import { TemplateError } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";

/** Returns the text that a template renders after the last marker; undefined if it refuses or does not show the marker. */
export function renderAfterMarker(
  template: ChatTemplate,
  marker: string,
  conversation: Conversation,
  addGenerationPrompt: boolean,
): string | undefined {
  try {
    const text = template.render(conversation, addGenerationPrompt);
    const index = text.lastIndexOf(marker);
    return index < 0 ? undefined : text.slice(index + marker.length);
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
