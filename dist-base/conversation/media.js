/** Parts of a message that a text model cannot see, and the text that stands for them. */
/** Returns the text that stands for a part. The form is fixed, because prompts and recorded tokens contain it. */
export const toPlaceholder = (kind) => `[${kind}]`;
export const readText = (content) => (typeof content === "string" ? content : content.text);
export const listMedia = (content) => typeof content === "object" && content !== null ? content.media : [];
/**
 * Joins the texts of parts, with a placeholder in the place of every other part.
 *
 * @param read returns the text of a part, or its kind if it is not text
 */
export function joinParts(parts, read) {
    const media = [];
    const texts = parts.map((part, index) => {
        const found = read(part);
        if ("text" in found)
            return found.text;
        media.push({ index, type: part.type });
        return toPlaceholder(found.kind);
    });
    const text = texts.join("");
    return media.length === 0 ? text : { text, media };
}
//# sourceMappingURL=media.js.map