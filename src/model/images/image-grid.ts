/** The rule by which the image processors of Qwen-VL and GLM-4V resize an image and divide it into patches. */
export interface PatchRule {
  /** Length of a patch's side, in pixels. */
  readonly patchSize: number;
  /** A token stands for a square of patches. Number of patches along its side. */
  readonly mergeSize: number;
  /** Bounds of the resized image, in pixels. */
  readonly minPixels: number;
  readonly maxPixels: number;
  /** Times that the bounds count each pixel. 2 for GLM-4V, which treats an image as two frames of a video. Default 1. */
  readonly frames?: number;
  /** Enlarges images that are narrower than a token's side to that side first. Default false. */
  readonly enlarges?: boolean;
}

export interface ImageGrid {
  /** Number of patches from top to bottom. */
  readonly height: number;
  /** Number of patches from left to right. */
  readonly width: number;
  /** Number of the image's tokens in a prompt. */
  readonly tokens: number;
}

/** The processors refuse narrower images. */
const MAX_ASPECT_RATIO = 200;

/**
 * Returns the patches of an image. The processors first resize it to a multiple of a token's side, as near to its own size as the bounds
 * allow.
 *
 * @returns undefined if the image is too narrow for the processors
 */
export function divideImage(
  size: { readonly width: number; readonly height: number },
  { patchSize, mergeSize, minPixels, maxPixels, frames = 1, enlarges = false }: PatchRule,
): ImageGrid | undefined {
  const side = patchSize * mergeSize;
  const scale = enlarges ? Math.max(1, side / size.width, side / size.height) : 1;
  const width = Math.trunc(size.width * scale);
  const height = Math.trunc(size.height * scale);
  if (Math.max(width, height) / Math.min(width, height) > MAX_ASPECT_RATIO) return undefined;
  let rows = roundHalfEven(height / side);
  let columns = roundHalfEven(width / side);
  const pixels = frames * rows * columns * side * side;
  if (pixels > maxPixels) {
    const shrink = Math.sqrt((frames * height * width) / maxPixels);
    rows = Math.max(1, Math.floor(height / shrink / side));
    columns = Math.max(1, Math.floor(width / shrink / side));
  } else if (pixels < minPixels) {
    const grow = Math.sqrt(minPixels / (frames * height * width));
    rows = Math.ceil((height * grow) / side);
    columns = Math.ceil((width * grow) / side);
  }
  return { height: rows * mergeSize, width: columns * mergeSize, tokens: rows * columns };
}

/** Rounds like Python: a number halfway between two integers becomes the even one. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return Math.round(value);
}
