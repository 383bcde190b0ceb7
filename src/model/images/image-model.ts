import type { ModelFiles } from "../model-files.js";
import { divideImage, type PatchRule } from "./image-grid.js";

interface Family {
  /** Matches the type of the image processor in transformers; `Fast` or `Pil` may follow. */
  readonly processor: RegExp;
  /** Values of that processor, for files that do not have them. Its `size` holds pixels, whatever the fields are called. */
  readonly rule: PatchRule;
}

/** The families whose image tokens follow from the size of an image. */
const FAMILIES: readonly Family[] = [
  {
    // Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5.
    processor: /^Qwen[23]VLImageProcessor/,
    rule: { patchSize: 14, mergeSize: 2, minPixels: 56 * 56, maxPixels: 28 * 28 * 1280 },
  },
  {
    // GLM-4.1V, GLM-4.5V and GLM-4.6V.
    processor: /^Glm4(v|6V)ImageProcessor/,
    rule: { patchSize: 14, mergeSize: 2, minPixels: 112 * 112, maxPixels: 28 * 28 * 15_000, frames: 2, enlarges: true },
  },
];

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** How a model sees images: the token that stands for a part of one, and the number of an image's tokens. */
export class ImageModel {
  /** The template shows it once for each image. In the prompt, the tokens of the image take its place. */
  readonly tokenId: number;
  /** Tokens that stand for images and videos. In the output they would stand for nothing, so no call may sample them. */
  readonly reservedIds: readonly number[];
  readonly #rule: PatchRule | undefined;

  private constructor(tokenId: number, reservedIds: readonly number[], rule: PatchRule | undefined) {
    this.tokenId = tokenId;
    this.reservedIds = reservedIds;
    this.#rule = rule;
  }

  /**
   * Returns undefined for a model without images. Also for Gemma 3: its processor joins the line breaks around an image with those of
   * the text, so that a prompt with an image does not show which ids were before it.
   */
  static read({ config, imageProcessor }: Pick<ModelFiles, "config" | "imageProcessor">): ImageModel | undefined {
    const tokenId = config.image_token_id ?? config.image_token_index;
    const videoId = config.video_token_id ?? config.video_token_index;
    if (typeof tokenId !== "number" || !imageProcessor || "boi_token_index" in config) return undefined;
    const reserved = typeof videoId === "number" ? [tokenId, videoId] : [tokenId];
    const { image_processor_type: type, patch_size, merge_size, min_pixels, max_pixels, size } = imageProcessor;
    const rule = FAMILIES.find(({ processor }) => processor.test(type ?? ""))?.rule;
    if (!rule) return new ImageModel(tokenId, reserved, undefined);
    return new ImageModel(tokenId, reserved, {
      ...rule,
      patchSize: patch_size ?? rule.patchSize,
      mergeSize: merge_size ?? rule.mergeSize,
      minPixels: min_pixels ?? size?.shortest_edge ?? rule.minPixels,
      maxPixels: max_pixels ?? size?.longest_edge ?? rule.maxPixels,
    });
  }

  /** The number of an image's tokens follows from its size. If false, only the engine knows it. */
  get counts(): boolean {
    return this.#rule !== undefined;
  }

  /** Returns the number of an image's tokens; undefined if the image is too narrow for the model, or the model does not count. */
  countTokens(size: ImageSize): number | undefined {
    return this.#rule && divideImage(size, this.#rule)?.tokens;
  }
}
