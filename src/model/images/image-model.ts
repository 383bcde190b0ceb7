import type { ModelFiles } from "../model-files.js";
import { divideImage, type PatchRule } from "./image-grid.js";

interface Family {
  /** Matches the type of the image processor in transformers; `Fast` or `Pil` may follow. */
  readonly processor: RegExp;
  /** Defaults of that processor. Its `size` holds numbers of pixels, although the fields are called edges. */
  readonly rule: PatchRule;
}

/** The model families for which the number of an image's tokens follows from its size. */
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

/** The image tokens of a model, and how many of them an image has. */
export class ImageModel {
  /** The image token. The template shows it once for each image, and the prompt has the image's tokens in its place. */
  readonly tokenId: number;
  /** Tokens that stand for images and videos. No call may sample them, because they would stand for nothing in the output. */
  readonly reservedIds: readonly number[];
  readonly #rule: PatchRule | undefined;

  private constructor(tokenId: number, reservedIds: readonly number[], rule: PatchRule | undefined) {
    this.tokenId = tokenId;
    this.reservedIds = reservedIds;
    this.#rule = rule;
  }

  /**
   * Returns undefined for a model that sees no images, and for Gemma 3. The processor of Gemma 3 joins the line breaks around an image
   * with those of the text, so a prompt does not show which ids were before an image.
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

  /** True if the number of an image's tokens follows from its size. Otherwise only the engine knows it. */
  get canCount(): boolean {
    return this.#rule !== undefined;
  }

  /** Returns the number of an image's tokens; undefined if the image is too narrow, or {@link canCount} is false. */
  countTokens(size: ImageSize): number | undefined {
    return this.#rule && divideImage(size, this.#rule)?.tokens;
  }
}
