import type { ModelFiles } from "../model-files.js";
import { divideImage, type PatchRule } from "./image-grid.js";

/** Of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5; `Fast` may follow. */
const QWEN_PROCESSOR = /^Qwen[23]VLImageProcessor/;

/** Values of that processor in transformers, for files that do not have them. `size` holds pixels, whatever its fields are called. */
const DEFAULTS: PatchRule = { patchSize: 14, mergeSize: 2, minPixels: 56 * 56, maxPixels: 28 * 28 * 1280 };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a model sees images: the token that stands for a part of one, and the number of an image's tokens. */
export class ImageModel {
  /** The template shows it once for each image, and the prompt has it for each of the image's tokens. */
  readonly tokenId: number;
  /** Tokens that stand for images and videos. In the output they would stand for nothing, so no call may sample them. */
  readonly reservedIds: readonly number[];
  readonly #rule: PatchRule;

  private constructor(tokenId: number, reservedIds: readonly number[], rule: PatchRule) {
    this.tokenId = tokenId;
    this.reservedIds = reservedIds;
    this.#rule = rule;
  }

  /** Returns undefined for a model without images, and for families whose number of tokens is not known. */
  static read({ config, imageProcessor }: Pick<ModelFiles, "config" | "imageProcessor">): ImageModel | undefined {
    const { image_token_id: tokenId, video_token_id: videoId } = config;
    const isKnown = QWEN_PROCESSOR.test(imageProcessor?.image_processor_type ?? "");
    if (typeof tokenId !== "number" || !isKnown) return undefined;
    const { patch_size, merge_size, min_pixels, max_pixels, size } = imageProcessor ?? {};
    return new ImageModel(tokenId, typeof videoId === "number" ? [tokenId, videoId] : [tokenId], {
      patchSize: patch_size ?? DEFAULTS.patchSize,
      mergeSize: merge_size ?? DEFAULTS.mergeSize,
      minPixels: min_pixels ?? size?.shortest_edge ?? DEFAULTS.minPixels,
      maxPixels: max_pixels ?? size?.longest_edge ?? DEFAULTS.maxPixels,
    });
  }

  /** Returns the number of an image's tokens; undefined if the image is too narrow for the model. */
  countTokens(size: Size): number | undefined {
    return divideImage(size, this.#rule)?.tokens;
  }
}
