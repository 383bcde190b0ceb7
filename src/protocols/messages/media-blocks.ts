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

export const mediaBlocks = [imageBlock, documentBlock] as const;

export type MediaBlock = z.output<(typeof mediaBlocks)[number]>;

const textList = z.array(z.object({ type: z.literal("text"), text: wellFormed }));

/** Returns the text of a text document; undefined for any other. */
function readDocument(source: unknown): string | undefined {
  const type = readType(source);
  const { data, content } = Object(source) as { readonly data?: unknown; readonly content?: unknown };
  const own = type === "text" ? data : type === "content" ? content : undefined;
  if (typeof own === "string") return own.toWellFormed();
  const list = textList.safeParse(own);
  return list.success ? list.data.map(({ text }) => text).join("") : undefined;
}

export const isMedia = (block: { readonly type: string }): block is MediaBlock =>
  block.type === "image" || block.type === "document";

/** Returns true for a document whose text the prompt contains. */
export const isTextDocument = (block: MediaBlock): boolean => block.type === "document" && block.source !== undefined;

/** Returns the text that the prompt contains instead of a block. */
export function toText(block: MediaBlock): string {
  return block.type === "image" ? toPlaceholder("image") : (block.source ?? toPlaceholder("file"));
}
