import type { Conversation, Message, Tool } from "../../conversation/message.js";
import type { ContinuationFallback } from "../chat-model.js";
import type { ContinuationFinder } from "./continuation-finder.js";

const START: readonly Message[] = [
  { role: "system", content: "Answer." },
  { role: "user", content: "One?" },
];
const CALL = { id: "call00001", name: "look", arguments: "{}" };
const TEXT: readonly Message[] = [
  { role: "assistant", content: "Yes." },
  { role: "user", content: "Two?" },
];
const TOOL: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [CALL] },
  { role: "tool", content: "1", toolCallId: CALL.id, name: CALL.name },
];
const TOOLS: readonly Tool[] = [
  {
    type: "function",
    function: { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } },
  },
];

/**
 * Returns why turns with text cannot be continued, and with `tools` those with a call. Undefined if they can, and if the template refuses
 * such conversations: it then refuses to render them, too.
 */
export function findContinuationProblem(finder: ContinuationFinder, tools: boolean): ContinuationFallback | undefined {
  const turn = tools ? TOOL : TEXT;
  // Some templates refuse system messages.
  for (const start of [START, START.slice(1)]) {
    const conversation: Conversation = { messages: [...start, ...turn], ...(tools ? { tools: TOOLS } : {}) };
    const output = turn[0] ?? { role: "assistant", content: "" };
    const found = finder.find(conversation, { messageCount: start.length + 1, output, lastTokenId: undefined });
    if (typeof found !== "string") return undefined;
    if (found !== "template_refuses") return found;
  }
  return undefined;
}
