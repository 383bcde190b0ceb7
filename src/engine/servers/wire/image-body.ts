import { collapseRanges } from "../../../support/collapse-ranges.js";
import type { EncodedImage, GenerateCall } from "../../engine.js";

/** Returns the image as a data URL. */
export function toDataUrl(image: EncodedImage): string {
  return `${dataUrlHead(image)}${toBuffer(image).toString("base64")}`;
}

const dataUrlHead = ({ mediaType }: EncodedImage): string => `data:${mediaType};base64,`;

const toBuffer = ({ file }: EncodedImage): Buffer => Buffer.from(file.buffer, file.byteOffset, file.byteLength);

/** A part of a request's JSON: text in ASCII, or an image as a data URL. */
export type BodyPiece = string | EncodedImage;

/** The parts of a request's JSON around the token ids. */
interface BodyParts {
  readonly prefix: string;
  /** The field of the images, with a comma before it. */
  readonly images: readonly BodyPiece[];
  readonly suffix: string;
}

/**
 * Writes a request's JSON with one image token for each image: engines process the images and put in the other tokens themselves. The
 * number of prompt tokens in the reply shows whether they put in as many as the prompt has.
 */
export function writeImageBody({ prompt, generation, images = [] }: GenerateCall, parts: BodyParts): Buffer {
  const ids = collapseRanges(prompt.tokens(), images);
  const all = generation.length > 0 ? [...ids, ...generation.ids(0)] : ids;
  const start = `${parts.prefix}[${all.join(",")}]`;
  const end = Buffer.from(parts.suffix);
  return writePieces([start, ...parts.images], end);
}

/** Copies each image once: it has megabytes, and needs no escapes in JSON, for which `JSON.stringify` would search it. */
function writePieces(pieces: readonly BodyPiece[], end: Buffer): Buffer {
  const length = pieces.reduce((sum, piece) => sum + measure(piece), end.length);
  const body = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const piece of pieces) {
    at += body.write(typeof piece === "string" ? piece : dataUrlHead(piece), at, "latin1");
    if (typeof piece !== "string") at += body.write(toBuffer(piece).toString("base64"), at, "latin1");
  }
  end.copy(body, at);
  return body;
}

function measure(piece: BodyPiece): number {
  if (typeof piece === "string") return piece.length;
  return dataUrlHead(piece).length + 4 * Math.ceil(piece.file.byteLength / 3);
}
