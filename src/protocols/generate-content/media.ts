import { z } from "zod";
import { type MediaKind, toPlaceholder } from "../../conversation/media.js";
import { listOf } from "../../support/schema/list-of.js";
import { noEffect } from "../fields.js";
import { protoList, protoObject } from "./proto-json.js";

/** Images and files of Gemini's parts. Only their MIME type is read: their data is neither checked nor kept. */

const mimeType = z.string().optional().describe("Decides which placeholder stands for the data.");

export const mediaFields = {
  inlineData: protoObject({ mimeType, data: noEffect, displayName: noEffect }).optional(),
  fileData: protoObject({ mimeType, fileUri: noEffect, displayName: noEffect }).optional(),
};

const mediaPart = protoObject(mediaFields);

export type GeminiMediaPart = z.output<typeof mediaPart>;

/** Files beside a function's response. */
export const responseParts = protoList(
  listOf(mediaPart.refine((part) => findField(part) !== undefined, { error: "must have inlineData or fileData" })),
).optional();

/** Returns the field that has a part's data; undefined if none has. */
export const findField = (part: GeminiMediaPart) =>
  (["inlineData", "fileData"] as const).find((name) => part[name] !== undefined);

/** Returns the text that stands for a part's data; undefined if it has none. */
export function showMedia(part: GeminiMediaPart): string | undefined {
  const field = findField(part);
  return field === undefined ? undefined : toPlaceholder(toKind(part[field]?.mimeType ?? ""));
}

function toKind(type: string): MediaKind {
  if (type.startsWith("image/")) return "image";
  return type.startsWith("audio/") ? "audio" : "file";
}
