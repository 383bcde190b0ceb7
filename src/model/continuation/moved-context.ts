import type { ChatTemplate } from "../template/chat-template.js";
import { ByShape, PROBE_MARKER, PROBE_WORD, probesOf } from "./conversation-shape.js";
import { renderBehind } from "./render-after-marker.js";

/**
 * Would the system message or the tools of a conversation stand behind an answer once another message follows it? Some
 * templates show them with the last user message, wherever that is.
 */
export function movedContext(template: ChatTemplate): ByShape<boolean> {
  return new ByShape((shape) => {
    if (!shape.hasSystem && !shape.hasTools) return false;
    return probesOf(shape).some(
      (probe) => renderBehind(template, PROBE_MARKER, probe, true)?.includes(PROBE_WORD) ?? false,
    );
  });
}
