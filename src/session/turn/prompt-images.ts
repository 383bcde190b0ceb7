import type { PlacedImage } from "../../conversation/content.js";

const NONE: readonly PlacedImage[] = [];

/**
 * Checks the places of a prompt's images.
 *
 * @param tokens length of the prompt
 * @throws RangeError if an image is outside of the prompt, or overlaps the one before it
 */
export function requirePlaces(images: readonly PlacedImage[], tokens: number): void {
  let free = 0;
  for (const [index, { offset, length }] of images.entries()) {
    const isInside = Number.isInteger(offset) && Number.isInteger(length) && length > 0 && offset + length <= tokens;
    if (!isInside || offset < free) {
      throw new RangeError(
        `images[${index}] must have tokens between ${free} and ${tokens}; received offset ${offset} and length ${length}.`,
      );
    }
    free = offset + length;
  }
}

/**
 * Returns true if the first `shared` tokens of two sequences show the same images. Images of one size have the same token ids, so that
 * equal ids are not enough to store tokens once. An image whose tokens are shared in part is different.
 */
export function shareTokens(
  shared: number,
  images: readonly PlacedImage[] = NONE,
  others: readonly PlacedImage[] = NONE,
): boolean {
  for (let i = 0; ; i++) {
    const [own, other] = [images[i], others[i]];
    const first = Math.min(own?.offset ?? shared, other?.offset ?? shared);
    if (first >= shared) return true;
    if (!own || !other || !sameImage(own, other) || own.offset + own.length > shared) return false;
  }
}

/** Returns the images with the objects of the parent's where they are equal, so that these are in memory once. */
export function shareImages(
  images: readonly PlacedImage[] | undefined,
  others: readonly PlacedImage[] = NONE,
): readonly PlacedImage[] | undefined {
  if (!images || images.length === 0) return undefined;
  const count = countShared(images, others);
  if (count === images.length && count === others.length) return others;
  return [...others.slice(0, count), ...images.slice(count)];
}

/** Returns the number of images at the start that two lists have in common. */
export function countShared(images: readonly PlacedImage[], others: readonly PlacedImage[] = NONE): number {
  const differs = images.findIndex((image, i) => {
    const other = others[i];
    return other === undefined || !sameImage(image, other);
  });
  return differs === -1 ? images.length : differs;
}

function sameImage(a: PlacedImage, b: PlacedImage): boolean {
  if (a === b) return true;
  return (
    a.sha256 === b.sha256 &&
    a.offset === b.offset &&
    a.length === b.length &&
    a.mediaType === b.mediaType &&
    a.width === b.width &&
    a.height === b.height
  );
}
