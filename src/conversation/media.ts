/** Parts of messages that are not text. A policy decides how a prompt shows them, so they are read in two steps. */
import { type MessageContent, type MessagePart, toContent } from "./content.js";

export type MediaKind = "image" | "file" | "audio";

/** The field in which a request has an image. Its value is unchecked: the policy may be to show no images. */
export interface ImageSource {
  /** Path below the part, such as `image_url.url`. */
  readonly field: string;
  readonly value?: unknown;
  /**
   * `data_url`: a data URL or an address. `base64`: the standard alphabet with padding. `any_base64`: also the URL-safe alphabet, and also
   * without padding. `url`: an address. `file_id`: the id of an uploaded file.
   */
  readonly form: "data_url" | "base64" | "any_base64" | "url" | "file_id";
}

/** A part of a request that is not text. */
export interface MediaPart {
  /** As its API names it. */
  readonly type: string;
  /** Selects the placeholder. */
  readonly kind: MediaKind;
  readonly image?: ImageSource;
  /** The text of a document that consists of text. */
  readonly text?: string;
}

export type RequestPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** A content of which some parts are not text. */
export interface ContentWithMedia {
  readonly parts: readonly RequestPart[];
}

export type ReadContent = string | ContentWithMedia;

/** Returns the text that stands for a part. The form is fixed, because prompts and recorded tokens contain it. */
export const toPlaceholder = (kind: MediaKind): string => `[${kind}]`;

/** Returns the text of a content, with a placeholder in the place of every other part. */
export function showAsText(content: MessageContent): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : toPlaceholder(part.type))).join("");
}

export const isMedia = (part: object): part is MediaPart => "kind" in part;

/** Returns a content of these parts. If all are text, they become one text. */
export function readParts(parts: readonly RequestPart[]): ReadContent {
  return parts.some(isMedia) ? { parts } : parts.map(({ text }) => text).join("");
}

/** @param show returns the part of the prompt that a part becomes, which is at this index in its content */
export function showContent(
  content: ReadContent,
  show: (part: MediaPart, index: number) => MessagePart,
): MessageContent {
  if (typeof content === "string") return content;
  return toContent(content.parts.map((part, index) => (isMedia(part) ? show(part, index) : part)));
}
