import type { MediaField } from "../image-policy.js";
import type { Content } from "./contents.js";
import { findField, type MediaPart } from "./media.js";

/** Returns the images and files of contents, also those of function responses. */
export function listMediaFields(contents: readonly Content[]): MediaField[] {
  return contents.flatMap(({ parts = [] }, i) =>
    parts.flatMap((part, j) => {
      const path = `contents[${i}].parts[${j}]`;
      const beside = part.functionResponse?.parts ?? [];
      return [part, ...beside].flatMap((each, k) =>
        toMediaField(each, k === 0 ? path : `${path}.functionResponse.parts[${k - 1}]`),
      );
    }),
  );
}

function toMediaField(part: MediaPart, path: string): MediaField[] {
  const type = findField(part);
  return type === undefined ? [] : [{ param: `${path}.${type}`, type }];
}
