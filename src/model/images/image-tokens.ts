import { LRUCache } from "lru-cache";
import type { ImageModel, ImageSize } from "./image-model.js";

/** Asks the engine which ids it puts in the place of an image's token. */
export type AskEngine<T> = (image: T) => Promise<Int32Array>;

/** Sizes of images whose tokens the engine has told. */
const MAX_SIZES = 1024;

const WARNING =
  "The engine divides images otherwise than the image processor's file in the model folder says: its limits of pixels differ. Its tokens " +
  "are recorded, and it is asked for those of each new size of images, which takes a request. Give both the same limits.";

export interface ImageTokensOptions {
  /** The engine tells the tokens of images. */
  readonly engineTells: boolean;
  /** Called once if the engine has other tokens than the model's files say. */
  readonly warn: (message: string) => void;
}

/**
 * The tokens that take the place of an image's token in a prompt: as the model counts them, or as the engine tells for each size of
 * images, once it was found that it has others.
 */
export class ImageTokens {
  readonly model: ImageModel;
  readonly #options: ImageTokensOptions;
  /** The ids that the engine told, by the size of the image. */
  readonly #told = new LRUCache<string, Int32Array>({ max: MAX_SIZES });
  #isCounted: boolean;

  constructor(model: ImageModel, options: ImageTokensOptions) {
    this.model = model;
    this.#options = options;
    this.#isCounted = model.canCount;
  }

  /**
   * Returns the tokens of each image, by its size as {@link sizeKey} writes it.
   *
   * @param source `engine`: asks the engine although the model counts, if the engine tells
   */
  async find<T extends ImageSize>(
    images: readonly T[],
    ask: AskEngine<T>,
    source: "usual" | "engine" = "usual",
  ): Promise<TokensBySize> {
    const isCounted = this.#isCounted && !(source === "engine" && this.#options.engineTells);
    const found = new Map<string, Int32Array>();
    for (const image of images) {
      const key = sizeKey(image);
      if (found.has(key)) continue;
      const ids = isCounted ? this.#count(image) : await this.#tell(key, () => ask(image));
      if (ids) found.set(key, ids);
    }
    return found;
  }

  /**
   * Notes that the engine had other tokens for these images than {@link find} gave. It is asked for them again, and for each new size.
   *
   * @returns false if it cannot be asked
   */
  distrust(images: readonly ImageSize[]): boolean {
    if (!this.#options.engineTells) return false;
    if (this.#isCounted) this.#options.warn(WARNING);
    this.#isCounted = false;
    for (const image of images) this.#told.delete(sizeKey(image));
    return true;
  }

  #count(size: ImageSize): Int32Array | undefined {
    const length = this.model.countTokens(size);
    return length === undefined ? undefined : new Int32Array(length).fill(this.model.tokenId);
  }

  async #tell(key: string, ask: () => Promise<Int32Array>): Promise<Int32Array> {
    const ids = this.#told.get(key) ?? (await ask());
    this.#told.set(key, ids);
    return ids;
  }
}

/** Tokens of images by {@link sizeKey}. An image that is too narrow for the model has none. */
export type TokensBySize = ReadonlyMap<string, Int32Array>;

export const sizeKey = ({ width, height }: ImageSize): string => `${width}x${height}`;
