import type { ImagePart, PlacedImage } from "../../conversation/content.js";
import { sizeKey, type TokensBySize } from "./image-tokens.js";

/** A prompt does not show each image of its conversation once, or has an image that the model cannot process. */
export class ImagePromptError extends Error {
  override readonly name = "ImagePromptError";
}

/** Token ids in pieces, and the places of the images in them. */
export interface ExpandedPrompt {
  readonly pieces: Int32Array[];
  readonly images: readonly PlacedImage[];
}

/**
 * Replaces each image token of a rendered prompt by all tokens of its image. The template shows one image token for each image.
 *
 * @param tokenId the image token
 * @param tokens the tokens of each image
 * @param images the images that the pieces show, in their order
 * @param start number of tokens before the pieces
 * @throws ImagePromptError if the pieces do not show each image once, or if an image is too narrow
 */
export function expandImages(
  { tokenId, tokens }: { readonly tokenId: number; readonly tokens: TokensBySize },
  pieces: readonly Int32Array[],
  images: readonly ImagePart[],
  start: number,
): ExpandedPrompt {
  const expanded: Int32Array[] = [];
  const placed: PlacedImage[] = [];
  let offset = start;
  const add = (ids: Int32Array) => {
    if (ids.length > 0) expanded.push(ids);
    offset += ids.length;
  };
  for (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(tokenId); at >= 0; at = piece.indexOf(tokenId, from)) {
      add(piece.subarray(from, at));
      const image = images[placed.length];
      if (!image) throw wrongCount(images.length);
      const { sha256, mediaType, width, height } = image;
      const ids = tokens.get(sizeKey(image));
      if (ids === undefined) {
        throw new ImagePromptError(
          `An image of ${width} x ${height} pixels is too narrow: its longer side may be at most 200 times its shorter side.`,
        );
      }
      placed.push({ sha256, mediaType, width, height, offset, length: ids.length });
      add(ids);
      from = at + 1;
    }
    add(piece.subarray(from));
  }
  if (placed.length < images.length) throw wrongCount(images.length, placed.length);
  return { pieces: expanded, images: placed };
}

function wrongCount(images: number, shown?: number): ImagePromptError {
  const message =
    shown === undefined
      ? `The prompt has more image tokens than the messages have images (${images}). A text may contain the model's image token.`
      : `The chat template shows ${shown} of ${images} images. It may leave out those of some messages.`;
  return new ImagePromptError(message);
}
