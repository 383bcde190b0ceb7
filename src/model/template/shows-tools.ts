import type { Conversation, Message, Tool } from "../../conversation/message.js";
import { TemplateError } from "../chat-model.js";
import type { ChatTemplate } from "./chat-template.js";

// A word that no template contains.
const NAME = "probe_function";

const TOOL: Tool = {
  type: "function",
  function: { name: NAME, description: "Probes.", parameters: { type: "object", properties: {} } },
};
const USER: Message = { role: "user", content: "Hello" };
const SYSTEM: Message = { role: "system", content: "Help." };
const CALL = { id: "call00001", name: NAME, arguments: "{}" };

const CONVERSATIONS: readonly Conversation[] = [
  { messages: [USER], tools: [TOOL] },
  { messages: [SYSTEM, USER], tools: [TOOL] },
  { messages: [USER, { role: "assistant", content: "", toolCalls: [CALL] }] },
];

/** Returns true if a template shows tools or calls, so its model was trained to call tools. */
export function showsTools(template: ChatTemplate): boolean {
  return CONVERSATIONS.some((conversation) => render(template, conversation).includes(NAME));
}

/** Returns an empty text if the template refuses the conversation. */
function render(template: ChatTemplate, conversation: Conversation): string {
  try {
    return template.render(conversation, true);
  } catch (error) {
    if (error instanceof TemplateError) return "";
    throw error;
  }
}
