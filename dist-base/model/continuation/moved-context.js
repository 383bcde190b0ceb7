import { ByShape, makeProbes, PROBE_MARKER, PROBE_WORD } from "./conversation-shape.js";
import { renderAfterMarker } from "./render-after-marker.js";
/**
 * Finds out, per shape, whether a template shows the system message or the tools after an answer once another message
 * follows it. Some templates show them with the last user message.
 */
export function probeMovedContext(template) {
    return new ByShape((shape) => {
        if (!shape.hasSystem && !shape.hasTools)
            return false;
        return makeProbes(shape).some((probe) => renderAfterMarker(template, PROBE_MARKER, probe, true)?.includes(PROBE_WORD) ?? false);
    });
}
//# sourceMappingURL=moved-context.js.map