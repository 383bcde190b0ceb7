import type { MediaField } from "../image-policy.js";
import type { GeminiContent } from "./contents.js";
import { findField, type GeminiMediaPart } from "./media.js";

/** Returns the images and files of contents, also those of function responses. */
export function listGeminiMediaFields(contents: readonly GeminiContent[]): MediaField[] {
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

function toMediaField(part: GeminiMediaPart, path: string): MediaField[] {
  const type = findField(part);
  return type === undefined ? [] : [{ param: `${path}.${type}`, type }];
}
