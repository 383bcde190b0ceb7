import { collapseRanges } from "../../../support/collapse-ranges.js";
import type { EncodedImage, GenerateCall } from "../../engine.js";

/** Returns the image as a data URL. It needs no escapes in JSON, so it is not searched for them, which would take milliseconds. */
export function toDataUrl({ mediaType, file }: EncodedImage): string {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  return `data:${mediaType};base64,${bytes.toString("base64")}`;
}

/** The parts of a request's JSON around the token ids. */
interface BodyParts {
  readonly prefix: string;
  /** The field of the images, with a comma before it. In ASCII, because it has megabytes. */
  readonly images: string;
  readonly suffix: string;
}

/**
 * Writes a request's JSON with one image token for each image: engines process the images and put in the other tokens themselves. The
 * number of prompt tokens in the reply shows whether they put in as many as the prompt has.
 */
export function writeImageBody({ prompt, generation, images = [] }: GenerateCall, parts: BodyParts): Buffer {
  const ids = collapseRanges(prompt.tokens(), images);
  const all = generation.length > 0 ? [...ids, ...generation.ids(0)] : ids;
  return Buffer.concat([
    Buffer.from(`${parts.prefix}[${all.join(",")}]`),
    Buffer.from(parts.images, "latin1"),
    Buffer.from(parts.suffix),
  ]);
}
