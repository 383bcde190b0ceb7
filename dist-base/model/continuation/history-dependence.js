import { ByShape, makeProbes, PROBE_MARKER } from "./conversation-shape.js";
import { renderAfterMarker } from "./render-after-marker.js";
import { STAND_IN_TEXT } from "./stand-in.js";
const TEXT_TURN = [
    { role: "assistant", content: STAND_IN_TEXT },
    { role: "user", content: STAND_IN_TEXT },
];
const CALL = { id: "call00000", name: "standInFunction", arguments: "{}" };
const CALL_TURN = [
    { role: "assistant", content: "", toolCalls: [CALL] },
    { role: "tool", content: STAND_IN_TEXT, toolCallId: CALL.id, name: CALL.name },
];
const CALL_THEN_TEXT = [...CALL_TURN, ...TEXT_TURN];
/**
 * Finds out, per shape, whether the text that a template renders after a turn depends on earlier turns. Some templates
 * number tool calls through the whole conversation, or remember whether there was one.
 */
export function probeHistoryDependence(template) {
    return new ByShape((shape) => {
        const renderAll = (history) => makeProbes(shape, history).map((probe) => renderAfterMarker(template, PROBE_MARKER, probe, true));
        const withoutHistory = renderAll([]);
        return [TEXT_TURN, CALL_TURN, CALL_THEN_TEXT].some((history) => renderAll(history).some((text, i) => {
            const other = withoutHistory[i];
            return text !== undefined && other !== undefined && text !== other;
        }));
    });
}
//# sourceMappingURL=history-dependence.js.map