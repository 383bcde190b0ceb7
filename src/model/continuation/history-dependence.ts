import type { Message } from "../../conversation/message.js";
import type { ChatTemplate } from "../template/chat-template.js";
import { ByShape, PROBE_MARKER, probesOf } from "./conversation-shape.js";
import { renderBehind } from "./render-after-marker.js";
import { STAND_IN_TEXT } from "./stand-in.js";

const SAID: readonly Message[] = [
  { role: "assistant", content: STAND_IN_TEXT },
  { role: "user", content: STAND_IN_TEXT },
];
const CALL = { id: "call00000", name: "standInFunction", arguments: "{}" };
const CALLED: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [CALL] },
  { role: "tool", content: STAND_IN_TEXT, toolCallId: CALL.id, name: CALL.name },
];
const ANSWERED: readonly Message[] = [...CALLED, ...SAID];

/**
 * Does what a template renders behind a turn depend on the turns before it? Some number tool calls through the whole
 * conversation, or remember that there was one.
 */
export function historyDependence(template: ChatTemplate): ByShape<boolean> {
  return new ByShape((shape) => {
    const behind = (history: readonly Message[]): (string | undefined)[] =>
      probesOf(shape, history).map((probe) => renderBehind(template, PROBE_MARKER, probe, true));
    const alone = behind([]);
    return [SAID, CALLED, ANSWERED].some((history) =>
      behind(history).some((text, i) => text !== undefined && alone[i] !== undefined && text !== alone[i]),
    );
  });
}
