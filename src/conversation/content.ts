interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** An image without its bytes. The digest refers to them, so that a session needs them once, however often the image recurs. */
export interface ImagePart {
  readonly type: "image";
  /** SHA-256 of the image's file, in 64 lowercase hexadecimal digits. */
  readonly sha256: string;
  /** As the file's bytes show it, for example `image/png`. */
  readonly mediaType: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** An image of a recorded prompt, at its place in the sequence of prompt and output. */
export interface PlacedImage extends Omit<ImagePart, "type"> {
  /** Its first token. */
  readonly offset: number;
  /** Number of its tokens. */
  readonly length: number;
}

/** The bytes of image files by {@link ImagePart.sha256}. */
export type ImageFiles = ReadonlyMap<string, Uint8Array>;

export type MessagePart = TextPart | ImagePart;

/**
 * The content of a message: its text, or its parts in their order if at least one of them is not text. {@link toContent} makes both, so
 * that contents which show the same are the same value.
 */
export type MessageContent = string | readonly MessagePart[];

/** Joins texts that follow each other and leaves out empty ones. Parts that are all text become one text. */
export function toContent(parts: readonly MessagePart[]): MessageContent {
  if (parts.every((part) => part.type === "text")) return parts.map(({ text }) => text).join("");
  const joined: MessagePart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== "text") joined.push(part);
    else if (last?.type === "text") joined[joined.length - 1] = { type: "text", text: last.text + part.text };
    else if (part.text !== "") joined.push(part);
  }
  return joined;
}

export function listParts(content: MessageContent): readonly MessagePart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns true if two contents are equal in every field. */
export function sameContent(a: MessageContent, b: MessageContent): boolean {
  if (a === b) return true;
  if (typeof a === "string" || typeof b === "string" || a.length !== b.length) return false;
  return a.every((part, i) => samePart(part, b[i]));
}

function samePart(a: MessagePart, b: MessagePart | undefined): boolean {
  if (a.type === "text") return b?.type === "text" && a.text === b.text;
  return (
    b?.type === "image" &&
    a.sha256 === b.sha256 &&
    a.mediaType === b.mediaType &&
    a.width === b.width &&
    a.height === b.height
  );
}
