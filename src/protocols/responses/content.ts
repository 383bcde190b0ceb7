import { z } from "zod";
import {
  type ImageSource,
  isMedia,
  type MediaKind,
  type MediaPart,
  type RequestPart,
  readParts,
} from "../../conversation/media.js";
import { listOf } from "../../support/schema/list-of.js";
import { readType, wellFormed } from "../fields.js";

/** The content of messages and of the results of calls: a text, or parts. */

export const describeRefused =
  (kind: "part" | "item", supported: string) =>
  (issue: { readonly input?: unknown }): string =>
    `only ${supported} ${kind}s are supported; received one of type "${(readType(issue.input) ?? "").slice(0, 40)}"`;

/** Schema of a part with an image, which is a data URL or an address, or refers to an uploaded file. */
const imagePart = <Type extends string>(type: Type) =>
  z
    .object({ type: z.literal(type), image_url: z.unknown().optional(), file_id: z.unknown().optional() })
    .transform(({ image_url: url, file_id: file }): MediaPart => {
      const isReference = (url ?? undefined) === undefined && typeof file === "string";
      const image: ImageSource = isReference
        ? { field: "file_id", form: "file_id" }
        : { field: "image_url", value: url, form: "data_url" };
      return { type, kind: "image", image };
    });

const mediaPart = <Type extends string>(type: Type, kind: MediaKind) =>
  z.object({ type: z.literal(type) }).transform((): MediaPart => ({ type, kind }));

/** The screenshot that answers a computer call. */
export const screenshot = imagePart("computer_screenshot");

const part = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("input_text"), text: wellFormed }),
    z.object({ type: z.literal("output_text"), text: wellFormed }),
    z.object({ type: z.literal("text"), text: wellFormed }),
    z.object({ type: z.literal("refusal"), refusal: wellFormed }),
    imagePart("input_image"),
    screenshot,
    mediaPart("input_file", "file"),
    mediaPart("input_audio", "audio"),
  ],
  { error: describeRefused("part", "text, image, file and audio") },
);

function readPart(read: z.output<typeof part>): RequestPart {
  if (isMedia(read)) return read;
  return { type: "text", text: read.type === "refusal" ? read.refusal : read.text };
}

export const content = z.union([wellFormed, listOf(part).transform((parts) => readParts(parts.map(readPart)))]);
