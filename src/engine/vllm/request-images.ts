import type { CallImage } from "../engine.js";
import { toDataUrl } from "../servers/wire/image-body.js";

/** The server's cache has some gigabytes, so it has forgotten older images. */
const MAX_REMEMBERED = 16_384;

/** The images that a server was sent, so it has them in its cache under their digests unless it needed the memory or was restarted. */
export class SentImages {
  /** Digests, those that were used last at the end. */
  readonly #digests = new Set<string>();

  hasAll(images: readonly CallImage[]): boolean {
    return images.every(({ sha256 }) => this.#digests.has(sha256));
  }

  add(images: readonly CallImage[]): void {
    for (const { sha256 } of images) {
      this.#digests.delete(sha256);
      this.#digests.add(sha256);
    }
    for (const oldest of this.#digests) {
      if (this.#digests.size <= MAX_REMEMBERED) return;
      this.#digests.delete(oldest);
    }
  }

  forget(images: readonly CallImage[]): void {
    for (const { sha256 } of images) this.#digests.delete(sha256);
  }
}

/**
 * Returns the field of a request whose ids have one image token for each image, with a comma before it. The server keeps each image
 * under `uuid`, and would take another image with the same one from its cache, so this is the digest of the file.
 */
export function contentPartsField(images: readonly CallImage[]): string {
  const parts = images.map((image) => `{"type":"image_url","url":"${toDataUrl(image)}","uuid":"${image.sha256}"}`);
  return `,"content_parts":[${parts.join(",")}]`;
}

/** Returns the field of a request whose ids have all tokens of the images, for a server that has the images in its cache. */
export function featuresField(images: readonly CallImage[]): string {
  const features = {
    mm_hashes: { image: images.map(({ sha256 }) => sha256) },
    mm_placeholders: { image: images.map(({ offset, length }) => ({ offset, length })) },
  };
  return `,"features":${JSON.stringify(features)}`;
}
