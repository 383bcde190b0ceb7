import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type CallImage, type EncodedImage, EngineError } from "../engine.js";
import { toDataUrl } from "../servers/wire/image-body.js";
import { jsonObject } from "../servers/wire/json.js";

/** Older images are no longer in the server's cache, which has a few gigabytes. */
const MAX_REMEMBERED = 16_384;

/**
 * The images that a server was sent. It keeps them in its cache under their digests until it needs the memory or restarts.
 */
export class SentImages {
  /** Numbers of tokens by digest, those that were used last at the end. */
  readonly #lengths = new Map<string, number>();

  /** Returns the digests of those images that the server was already sent. */
  find(images: readonly CallImage[]): ReadonlySet<string> {
    return new Set(images.flatMap(({ sha256 }) => (this.#lengths.has(sha256) ? sha256 : [])));
  }

  /** Returns true if the server has all images, each with as many tokens. It does not check that of a request itself. */
  hasAll(images: readonly CallImage[]): boolean {
    return images.every(({ sha256, length }) => this.#lengths.get(sha256) === length);
  }

  clear(): void {
    this.#lengths.clear();
  }

  add(images: readonly CallImage[]): void {
    for (const { sha256, length } of images) {
      this.#lengths.delete(sha256);
      this.#lengths.set(sha256, length);
    }
    for (const oldest of this.#lengths.keys()) {
      if (this.#lengths.size <= MAX_REMEMBERED) return;
      this.#lengths.delete(oldest);
    }
  }

  forget(images: readonly CallImage[]): void {
    for (const { sha256 } of images) this.#lengths.delete(sha256);
  }
}

/**
 * Returns fields for a request whose ids have one image token for each image. Each field has a comma before it.
 *
 * The server caches each image under its `uuid` and would use a cached image for another one with the same `uuid`. So the `uuid` is the
 * digest of the file.
 *
 * @param sent digests of images that the server has. Their files are left out
 */
export function contentPartsField(images: readonly EncodedImage[], sent: ReadonlySet<string>): string {
  const parts = images.map((image) => {
    const url = sent.has(image.sha256) ? "" : `,"url":"${toDataUrl(image)}"`;
    return `{"type":"image_url"${url},"uuid":"${image.sha256}"}`;
  });
  return `,"content_parts":[${parts.join(",")}],"return_token_ids":true`;
}

/** The reply to {@link expansionRequest}. */
const expansionSchema = z.looseObject({
  prompt_token_ids: z.array(z.int()),
  mm_placeholders: z.looseObject({
    image: z.tuple([z.looseObject({ offset: z.literal(0), length: z.int() })]),
  }),
});

/** Returns the body of a request whose prompt is one image. Its reply has the ids by which the server replaces the image token. */
export function expansionRequest(model: string, image: EncodedImage, tokenId: number): object {
  return {
    model,
    token_ids: [tokenId],
    content_parts: [{ type: "image_url", url: toDataUrl(image), uuid: image.sha256 }],
    return_token_ids: true,
    // A server that returns sampling masks takes no others.
    sampling_params: { max_tokens: 1, temperature: 1, top_k: 1 },
  };
}

/**
 * Returns the ids of the image, which are the whole prompt of the reply.
 *
 * @throws EngineError if the reply does not contain them, if they do not begin with the image token, or if the prompt has other ids too
 */
export function readExpansion(body: string, tokenId: number): Int32Array {
  const reply = expansionSchema.safeParse(jsonObject(body));
  if (!reply.success) {
    const message =
      "The engine's reply does not contain the tokens of an image. Its model sees no images, or vLLM is older than August 2026.";
    throw new EngineError("engine_error", message);
  }
  const { prompt_token_ids: ids, mm_placeholders: ranges } = reply.data;
  if (ids[0] !== tokenId || ranges.image[0].length !== ids.length) {
    const message =
      "The tokens that the engine makes of an image do not begin with the image token, so prompts with images cannot be repeated.";
    throw new EngineError("engine_error", message);
  }
  return Int32Array.from(ids);
}

/** Returns a field for a request whose ids have all tokens of each image. The server must have the images in its cache. */
export function featuresField(images: readonly CallImage[]): string {
  const features = {
    mm_hashes: { image: images.map(({ sha256 }) => sha256) },
    mm_placeholders: { image: images.map(({ offset, length }) => ({ offset, length })) },
  };
  return `,"features":${JSON.stringify(features)}`;
}
