import { z } from "zod";
import type { ImageSource, MediaKind, MediaPart } from "../../conversation/media.js";
import { listOf } from "../../support/schema/list-of.js";
import { noEffect } from "../fields.js";
import { protoList, protoObject } from "./proto-json.js";

/** Images and files of Gemini's parts. */

const mimeType = z.string().optional().describe("`image/…` for an image. The bytes decide of which format it is.");

export const mediaFields = {
  inlineData: protoObject({ mimeType, data: z.unknown().optional(), displayName: noEffect }).optional(),
  fileData: protoObject({ mimeType, fileUri: z.unknown().optional(), displayName: noEffect }).optional(),
};

const mediaPart = protoObject(mediaFields);

export type GeminiMediaPart = z.output<typeof mediaPart>;

/** Files beside a function's response. */
export const responseParts = protoList(
  listOf(mediaPart.refine((part) => findField(part) !== undefined, { error: "must have inlineData or fileData" })),
).optional();

/** Returns the field that has a part's data; undefined if none has. */
const findField = (part: GeminiMediaPart) =>
  (["inlineData", "fileData"] as const).find((name) => part[name] !== undefined);

/** Returns the image or file of a part; undefined if it has none. Its type is the name of the field. */
export function findMedia(part: GeminiMediaPart): MediaPart | undefined {
  const type = findField(part);
  if (type === undefined) return undefined;
  const { mimeType = "" } = part[type] ?? {};
  const kind = toKind(mimeType);
  // Of data without a type, the bytes show whether it is an image.
  return { type, kind, ...(kind === "image" || mimeType === "" ? { image: toSource(part, type) } : {}) };
}

function toSource({ inlineData, fileData }: GeminiMediaPart, type: "inlineData" | "fileData"): ImageSource {
  if (type === "fileData") return { field: "fileData.fileUri", value: fileData?.fileUri, form: "url" };
  // Google's SDK for Python sends the alphabet of URLs.
  return { field: "inlineData.data", value: inlineData?.data, form: "any_base64" };
}

function toKind(type: string): MediaKind {
  const [kind] = type.toLowerCase().split("/", 1);
  return kind === "image" || kind === "audio" ? kind : "file";
}
