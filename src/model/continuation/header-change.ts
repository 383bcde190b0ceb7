import type { Conversation } from "../../conversation/message.js";
import { sameTemplateArgs, type TemplateArgs } from "../../conversation/template-args.js";
import { TemplateError } from "../chat-model.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { leadingSystem, STAND_IN_TEXT, USER } from "./stand-in.js";

/**
 * Would the conversation have another header, which is all before the first user's words, had its template been given
 * `earlier` variables? Variables that bear on later messages or on the opening of the next turn alone change no header.
 */
export function changesHeader(
  template: ChatTemplate,
  conversation: Conversation,
  earlier: TemplateArgs | undefined,
): boolean {
  if (sameTemplateArgs(conversation.templateArgs, earlier)) return false;
  const { templateArgs: _, ...shown } = conversation;
  const before = { ...shown, ...(earlier ? { templateArgs: earlier } : {}) };
  return headerOf(template, before) !== headerOf(template, conversation);
}

/** Undefined where the template refuses: what follows the turn is then found out anyhow. */
function headerOf(template: ChatTemplate, conversation: Conversation): string | undefined {
  try {
    const messages = [...leadingSystem(conversation.messages), USER];
    return template.render({ ...conversation, messages }, false).split(STAND_IN_TEXT, 1)[0];
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}
