import type { Conversation, Message } from "../conversation/message.js";
import { TemplateError } from "./chat-model.js";
import { markerFor } from "./continuation/stand-in.js";
import type { ChatTemplate } from "./template/chat-template.js";

/**
 * The prompt that ends with the beginning of an answer: what the template renders of an answer that begins so, up to there.
 *
 * @throws TemplateError where the template does not show the beginning as it is
 */
export function renderPrefilled(template: ChatTemplate, { prefill = "", ...conversation }: Conversation): string {
  const begun: Message = { role: "assistant", content: prefill };
  const marker = markerFor([...conversation.messages, begun]);
  const messages = [...conversation.messages, { ...begun, content: prefill + marker }];
  const text = template.render({ ...conversation, messages }, false);
  const shown = text.slice(0, Math.max(0, text.lastIndexOf(marker)));
  if (!shown.endsWith(prefill)) {
    throw new TemplateError("it does not show the last answer as it is, so that it cannot be continued");
  }
  return shown;
}

/**
 * What follows the opening of the assistant's turn where its answer has begun; undefined where the template opens a turn
 * otherwise than it shows one.
 */
export function prefillBehindOpening(template: ChatTemplate, conversation: Conversation): string | undefined {
  if (conversation.prefill === undefined) return "";
  const opened = template.render(conversation, true);
  const shown = renderPrefilled(template, conversation);
  return shown.startsWith(opened) ? shown.slice(opened.length) : undefined;
}
