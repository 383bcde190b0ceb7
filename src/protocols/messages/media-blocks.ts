import { z } from "zod";
import type { ImageSource, MediaPart } from "../../conversation/media.js";
import { noEffect, readType, wellFormed } from "../fields.js";

/** Images and documents of Anthropic's messages. */

const imageBlock = z
  .object({ type: z.literal("image"), source: z.unknown().optional(), cache_control: noEffect })
  .transform(({ type, source }): MediaPart => ({ type, kind: "image", image: readImage(source) }));

const documentBlock = z
  .object({ type: z.literal("document"), source: z.unknown(), cache_control: noEffect })
  .transform(({ type, source }): MediaPart => {
    const text = readDocument(source);
    return { type, kind: "file", ...(text === undefined ? {} : { text }) };
  });

export const mediaBlocks = [imageBlock, documentBlock] as const;

function readImage(source: unknown): ImageSource {
  const type = readType(source);
  if (type === "file") return { field: "source.file_id", form: "file_id" };
  const { data, url } = Object(source) as { readonly data?: unknown; readonly url?: unknown };
  if (type === "url") return { field: "source.url", value: url, form: "url" };
  return { field: "source.data", value: data, form: "base64" };
}

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
