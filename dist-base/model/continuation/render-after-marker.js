import { TemplateError } from "../chat-model.js";
/** Returns the text that a template renders after the last marker; undefined if it refuses or does not show the marker. */
export function renderAfterMarker(template, marker, conversation, addGenerationPrompt) {
    try {
        const text = template.render(conversation, addGenerationPrompt);
        const index = text.lastIndexOf(marker);
        return index < 0 ? undefined : text.slice(index + marker.length);
    }
    catch (error) {
        if (error instanceof TemplateError)
            return undefined;
        throw error;
    }
}
//# sourceMappingURL=render-after-marker.js.map