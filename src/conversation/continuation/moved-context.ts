import type { Conversation, Message, Tool } from "../message.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { followerLike, hasCalls, markerFor, standInsFor, USER } from "./stand-in.js";
import { renderBehind } from "./tail.js";

const MOVED = "rolltapeMovedContext";
const SYSTEM: Message = { role: "system", content: MOVED };
const TOOL: Tool = {
  type: "function",
  function: { name: MOVED, description: MOVED, parameters: { type: "object", properties: {} } },
};
const CALL = { id: "call00001", name: "standInFunction", arguments: "{}" };

/**
 * Some templates show the system message or the tools with the last user message, wherever that is: they move behind
 * every answer. Whether one does so depends on the shape of the turn only, and is found out once for each.
 */
export class MovedContext {
  readonly #template: ChatTemplate;
  readonly #known = new Map<string, boolean>();

  constructor(template: ChatTemplate) {
    this.#template = template;
  }

  /** Would the system message or the tools of this conversation stand behind the answer once `next` follows it? */
  isBehind(hasSystem: boolean, hasTools: boolean, answer: Message, next: Message): boolean {
    if (!hasSystem && !hasTools) return false;
    const role = next.role === "tool" ? "tool" : "user";
    const key = [hasSystem, hasTools, hasCalls(answer), role].join();
    const known = this.#known.get(key) ?? this.#find(hasSystem, hasTools, hasCalls(answer), role);
    this.#known.set(key, known);
    return known;
  }

  #find(hasSystem: boolean, hasTools: boolean, calls: boolean, role: "tool" | "user"): boolean {
    const marker = markerFor([]);
    const answer: Message = { role: "assistant", content: "", ...(calls ? { toolCalls: [CALL] } : {}) };
    const tools = hasTools ? { tools: [TOOL] } : {};
    return standInsFor(answer, marker).some((stand) => {
      const follower = followerLike({ role, content: "" }, stand);
      const messages = [...(hasSystem ? [SYSTEM] : []), USER, stand, follower];
      const conversation: Conversation = { messages, ...tools };
      return renderBehind(this.#template, marker, conversation, true)?.includes(MOVED) ?? false;
    });
  }
}
