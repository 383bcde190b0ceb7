import type { Conversation } from "../../conversation/message.js";
import { TemplateError } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";

/** What a template renders behind the last marker; undefined where it refuses the conversation or shows no marker. */
export function renderBehind(
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
