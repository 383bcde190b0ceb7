import { z } from "zod";
import type { MessagePart } from "../../conversation/content.js";
import { joinParts, type MediaKind } from "../../conversation/media.js";
import { listOf } from "../../support/schema/list-of.js";
import { readType, wellFormed } from "../fields.js";

/** The content of messages and of the results of calls: a text, or parts. */

export const describeRefused =
  (kind: "part" | "item", supported: string) =>
  (issue: { readonly input?: unknown }): string =>
    `only ${supported} ${kind}s are supported; received one of type "${(readType(issue.input) ?? "").slice(0, 40)}"`;

/** Parts that a prompt can only show as placeholders. Their data is neither read nor kept. */
const MEDIA_KINDS = {
  input_image: "image",
  computer_screenshot: "image",
  input_file: "file",
  input_audio: "audio",
} as const satisfies Record<string, MediaKind>;

/** The screenshot that answers a computer call. */
export const screenshot = z.object({ type: z.literal("computer_screenshot") });

const part = z.discriminatedUnion(
  "type",
  [
    z.object({ type: z.literal("input_text"), text: wellFormed }),
    z.object({ type: z.literal("output_text"), text: wellFormed }),
    z.object({ type: z.literal("text"), text: wellFormed }),
    z.object({ type: z.literal("refusal"), refusal: wellFormed }),
    z.object({ type: z.literal("input_image") }),
    screenshot,
    z.object({ type: z.literal("input_file") }),
    z.object({ type: z.literal("input_audio") }),
  ],
  { error: describeRefused("part", "text, image, file and audio") },
);

type Part = z.output<typeof part>;

function readPart(part: Part): MessagePart | { readonly kind: MediaKind } {
  if ("text" in part) return { type: "text", text: part.text };
  return part.type === "refusal" ? { type: "text", text: part.refusal } : { kind: MEDIA_KINDS[part.type] };
}

export const content = z.union([wellFormed, listOf(part).transform((parts) => joinParts(parts, readPart))]);
