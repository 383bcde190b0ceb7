import { z } from "zod";
import { toPlaceholder } from "../../conversation/media.js";
import { noEffect, readType, wellFormed } from "../fields.js";
/** Images and documents of Anthropic's messages. Their data is neither read nor kept, except the text of a text document. */
const imageBlock = z.object({ type: z.literal("image"), cache_control: noEffect });
const documentBlock = z.object({
    type: z.literal("document"),
    source: z.unknown().transform(readDocument),
    cache_control: noEffect,
});
export const mediaBlocks = [imageBlock, documentBlock];
const textList = z.array(z.object({ type: z.literal("text"), text: wellFormed }));
/** Returns the text of a text document; undefined for any other. */
function readDocument(source) {
    const type = readType(source);
    const { data, content } = Object(source);
    const own = type === "text" ? data : type === "content" ? content : undefined;
    if (typeof own === "string")
        return own.toWellFormed();
    const list = textList.safeParse(own);
    return list.success ? list.data.map(({ text }) => text).join("") : undefined;
}
export const isMedia = (block) => block.type === "image" || block.type === "document";
/** Returns true for a document whose text the prompt contains. */
export const isText = (block) => block.type === "document" && block.source !== undefined;
/** Returns the text that the prompt contains instead of a block. */
export function toText(block) {
    return block.type === "image" ? toPlaceholder("image") : (block.source ?? toPlaceholder("file"));
}
//# sourceMappingURL=media-blocks.js.map