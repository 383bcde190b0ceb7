import type { MediaField } from "../image-policy.js";
import type { InputMessage } from "./input.js";
import { isMedia, isTextDocument } from "./media-blocks.js";

interface Block {
  readonly type: string;
}

/** Returns the images and documents of messages, also those in tool results. */
export function listAnthropicMediaFields(messages: readonly InputMessage[]): MediaField[] {
  return messages.flatMap(({ role, content }, i) => {
    if (role !== "user" || typeof content === "string") return [];
    const path = `messages[${i}].content`;
    return content.flatMap((block, j) => {
      if (block.type !== "tool_result") return listInBlocks([block], path, j);
      const blocks = typeof block.content === "string" ? [] : (block.content ?? []);
      return listInBlocks(blocks, `${path}[${j}].content`);
    });
  });
}

/** @param start index of the first block in its content */
function listInBlocks(blocks: readonly Block[], path: string, start = 0): MediaField[] {
  return blocks.flatMap((block, i) =>
    isMedia(block) ? [{ param: `${path}[${start + i}].type`, type: block.type, isText: isTextDocument(block) }] : [],
  );
}
