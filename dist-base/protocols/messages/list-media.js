import { isMedia, isText } from "./media-blocks.js";
/** Returns the images and documents of messages, also those in tool results. */
export function listMediaFields(messages) {
    return messages.flatMap(({ role, content }, i) => {
        if (role !== "user" || typeof content === "string")
            return [];
        const path = `messages[${i}].content`;
        return content.flatMap((block, j) => {
            if (block.type !== "tool_result")
                return listInBlocks([block], path, j);
            const blocks = typeof block.content === "string" ? [] : (block.content ?? []);
            return listInBlocks(blocks, `${path}[${j}].content`);
        });
    });
}
/** @param start index of the first block in its content */
function listInBlocks(blocks, path, start = 0) {
    return blocks.flatMap((block, i) => isMedia(block) ? [{ param: `${path}[${start + i}].type`, type: block.type, isText: isText(block) }] : []);
}
//# sourceMappingURL=list-media.js.map