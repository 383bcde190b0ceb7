import { createHash } from "node:crypto";
import type { ImageFiles, PlacedImage } from "../conversation/content.js";
import { ImageFileError, readImageFile } from "../conversation/image-file.js";
import { SessionError } from "./errors.js";

/** An image of a prompt that a trainer bridge records. */
export interface ImageInput {
  /** Its first token in the prompt. */
  readonly offset: number;
  /** Number of its tokens. */
  readonly length: number;
  /** The image's file: PNG, JPEG, GIF, WebP or BMP. */
  readonly bytes: Uint8Array;
}

/** The images of a prompt, and their files. Files are copied, so that the caller may change them. */
export interface PlacedImages {
  readonly images: readonly PlacedImage[];
  readonly files: ImageFiles;
}

/** @throws SessionError `invalid_value` for a file that is no image */
export function placeImages(inputs: readonly ImageInput[]): PlacedImages {
  const files = new Map<string, Uint8Array>();
  const images = inputs.map(({ offset, length, bytes }, index): PlacedImage => {
    const param = `images[${index}].bytes`;
    if (!(bytes instanceof Uint8Array)) {
      throw new SessionError("invalid_value", `${param} must be an instance of Uint8Array.`, { param });
    }
    const facts = readFacts(bytes, param);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    if (!files.has(sha256)) files.set(sha256, new Uint8Array(bytes));
    return { sha256, ...facts, offset, length };
  });
  return { images, files };
}

function readFacts(bytes: Uint8Array, param: string): ReturnType<typeof readImageFile> {
  try {
    return readImageFile(bytes);
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
    throw new SessionError("invalid_value", `${param} must be an image: ${error.message}.`, { param, cause: error });
  }
}
