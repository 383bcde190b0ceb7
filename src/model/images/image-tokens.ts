import type { ImageModel, ImageSize } from "./image-model.js";

/** An image with its file. */
export interface ImageWithFile extends ImageSize {
  readonly sha256: string;
  readonly mediaType: string;
  readonly file: Uint8Array;
}

/** An engine that tells which ids it puts in the place of an image's token. */
export interface TellingEngine {
  readonly expand: (image: ImageWithFile, tokenId: number) => Promise<Int32Array>;
  /** Called once if the engine has other tokens than the model's files say. */
  readonly warn: (message: string) => void;
}

const WARNING =
  "The engine divides images otherwise than preprocessor_config.json of the model folder says: its limits of pixels differ. Its tokens " +
  "are recorded, and it is asked for those of each new size of images, which takes a request. Give both the same limits.";

/** Sizes of images whose tokens the engine has told. Those of one size have thousands of ids at most. */
const MAX_SIZES = 4096;

/**
 * The tokens that take the place of an image's token in a prompt: as the model counts them, or as the engine tells for each size of
 * images, once it was found that it has others.
 */
export class ImageTokens {
  readonly model: ImageModel;
  readonly #engine: TellingEngine | undefined;
  /** The ids of images by their size, those of the size that was asked for last at the end. */
  readonly #told = new Map<string, Promise<Int32Array>>();
  #isCounted: boolean;

  /** @param engine absent if it does not tell */
  constructor(model: ImageModel, engine?: TellingEngine) {
    this.model = model;
    this.#engine = engine;
    this.#isCounted = model.counts;
  }

  /**
   * Returns the tokens of each image, by its size as {@link sizeKey} writes it.
   *
   * @param load returns an image with its file
   */
  async find<T extends ImageSize>(images: readonly T[], load: (image: T) => ImageWithFile): Promise<TokensBySize> {
    const found = new Map<string, Int32Array>();
    for (const image of images) {
      const key = sizeKey(image);
      if (found.has(key)) continue;
      const ids = this.#isCounted ? this.#count(image) : await this.#tell(key, () => load(image));
      if (ids) found.set(key, ids);
    }
    return found;
  }

  /**
   * Notes that the engine had other tokens than {@link find} gave. From now on, the engine is asked for each size.
   *
   * @returns false if it cannot be asked
   */
  distrust(): boolean {
    if (!this.#engine) return false;
    if (this.#isCounted) this.#engine.warn(WARNING);
    this.#isCounted = false;
    return true;
  }

  #count(size: ImageSize): Int32Array | undefined {
    const length = this.model.countTokens(size);
    return length === undefined ? undefined : new Int32Array(length).fill(this.model.tokenId);
  }

  #tell(key: string, load: () => ImageWithFile): Promise<Int32Array> {
    const known = this.#told.get(key) ?? this.#askFor(load());
    this.#told.delete(key);
    this.#told.set(key, known);
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= MAX_SIZES) break;
      this.#told.delete(oldest);
    }
    known.catch(() => this.#told.delete(key));
    return known;
  }

  async #askFor(image: ImageWithFile): Promise<Int32Array> {
    if (!this.#engine) throw new Error("the engine does not tell the tokens of images");
    return await this.#engine.expand(image, this.model.tokenId);
  }
}

/** Tokens of images by {@link sizeKey}. An image that is too narrow for the model has none. */
export type TokensBySize = ReadonlyMap<string, Int32Array>;

export const sizeKey = ({ width, height }: ImageSize): string => `${width}x${height}`;
