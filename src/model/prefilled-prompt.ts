import type { Conversation, Message } from "../conversation/message.js";
import { runAtOnce, type Steps } from "../support/async/steps.js";
import { TemplateError } from "./chat-model.js";
import { makeMarker } from "./continuation/stand-in.js";
import type { ChatTemplate } from "./template/chat-template.js";

/**
 * Renders a prompt that ends with the beginning of an answer. The template renders an answer that continues with a marker;
 * the prompt is the text before the marker.
 *
 * @throws TemplateError if the template does not show the beginning of the answer unchanged
 */
export function* renderPrefilled(
  template: ChatTemplate,
  { prefill = "", ...conversation }: Conversation,
): Steps<string> {
  const answer: Message = { role: "assistant", content: prefill };
  const marker = makeMarker([...conversation.messages, answer]);
  const messages = [...conversation.messages, { ...answer, content: prefill + marker }];
  const { parts } = yield* template.renderInSteps({ ...conversation, messages }, false);
  const text = parts.join("");
  const shown = text.slice(0, Math.max(0, text.lastIndexOf(marker)));
  if (!shown.endsWith(prefill)) {
    throw new TemplateError("it changes the last answer, so this answer cannot be continued");
  }
  return shown;
}

/**
 * Renders the beginning of the answer after the opening of the assistant's turn; empty if the request has not begun the
 * answer. Undefined if the template opens a turn differently from how it shows one.
 */
export function renderPrefillAfterOpening(template: ChatTemplate, conversation: Conversation): string | undefined {
  if (conversation.prefill === undefined) return "";
  const opened = template.render(conversation, true);
  const shown = runAtOnce(renderPrefilled(template, conversation));
  return shown.startsWith(opened) ? shown.slice(opened.length) : undefined;
}
