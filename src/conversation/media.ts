/** Parts of a message that a text model cannot see, and the text that stands for them. */
import { type MessageContent, type MessagePart, toContent } from "./content.js";

export type MediaKind = "image" | "file" | "audio";

/** Returns the text that stands for a part. The form is fixed, because prompts and recorded tokens contain it. */
export const toPlaceholder = (kind: MediaKind): string => `[${kind}]`;

/** Returns the text of a content, with a placeholder in the place of every other part. */
export function showAsText(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : toPlaceholder(part.type))).join("");
}

/** A part of a request that is not text. */
export interface MediaPart {
  /** Index among the parts of its content. */
  readonly index: number;
  /** Type of the part, as its API names it. */
  readonly type: string;
}

/** A content of a request that has other parts than text. */
export interface ContentWithMedia {
  readonly content: MessageContent;
  readonly media: readonly MediaPart[];
}

export type ReadContent = MessageContent | ContentWithMedia;

export const readContent = (read: ReadContent): MessageContent => (hasMedia(read) ? read.content : read);

export const listMedia = (read: ReadContent | null | undefined): readonly MediaPart[] =>
  hasMedia(read) ? read.media : [];

const hasMedia = (read: ReadContent | null | undefined): read is ContentWithMedia =>
  typeof read === "object" && read !== null && "media" in read;

/**
 * Joins the parts of a request's content.
 *
 * @param read returns a part as the conversation has it, or its kind if a placeholder stands for it
 */
export function joinParts<P extends { readonly type: string }>(
  parts: readonly P[],
  read: (part: P) => MessagePart | { readonly kind: MediaKind },
): ReadContent {
  const media: MediaPart[] = [];
  const joined = parts.map((part, index): MessagePart => {
    const found = read(part);
    const isShown = "type" in found;
    if (!isShown || found.type !== "text") media.push({ index, type: part.type });
    return isShown ? found : { type: "text", text: toPlaceholder(found.kind) };
  });
  const content = toContent(joined);
  return media.length === 0 ? content : { content, media };
}
