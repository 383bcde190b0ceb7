import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type CallImage, type EncodedImage, EngineError } from "../engine.js";
import { type BodyPiece, toDataUrl } from "../servers/wire/image-body.js";
import { jsonObject } from "../servers/wire/json.js";

/** The server's cache has some gigabytes, so it has forgotten older images. */
const MAX_REMEMBERED = 16_384;

const NONE: ReadonlySet<string> = new Set();

/** The images that a server was sent, so it has them in its cache under their digests unless it needed the memory or was restarted. */
export class SentImages {
  /** Numbers of tokens by digest. */
  readonly #lengths = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  /** Returns the digests of those images that the server was sent. */
  find(images: readonly CallImage[]): ReadonlySet<string> {
    if (images.length === 0) return NONE;
    return new Set(images.map(({ sha256 }) => sha256).filter((sha256) => this.#lengths.has(sha256)));
  }

  /** Returns true if the server has all images, each with as many tokens. It does not check that of a request itself. */
  hasAll(images: readonly CallImage[]): boolean {
    return images.every(({ sha256, length }) => this.#lengths.get(sha256) === length);
  }

  clear(): void {
    this.#lengths.clear();
  }

  add(images: readonly CallImage[]): void {
    for (const { sha256, length } of images) this.#lengths.set(sha256, length);
  }

  forget(images: readonly CallImage[]): void {
    for (const { sha256 } of images) this.#lengths.delete(sha256);
  }
}

/**
 * Returns the fields of a request whose ids have one image token for each image, with a comma before each. The server keeps each image
 * under `uuid`, and would take another image with the same one from its cache, so this is the digest of the file.
 *
 * @param sent digests of images that the server has, whose files are left out
 */
export function contentPartsField(images: readonly EncodedImage[], sent: ReadonlySet<string>): BodyPiece[] {
  const parts = images.flatMap((image, index): BodyPiece[] => {
    const url: BodyPiece[] = sent.has(image.sha256) ? [] : [',"url":"', image, '"'];
    return [index > 0 ? "," : "", '{"type":"image_url"', ...url, `,"uuid":"${image.sha256}"}`];
  });
  return [',"content_parts":[', ...parts, '],"return_token_ids":true'];
}

const IMAGES_UNTOLD =
  "The engine does not say which tokens an image has: its model sees no images, or it is a vLLM before August 2026.";

const expansionSchema = z.looseObject({
  prompt_token_ids: z.array(z.int()),
  mm_placeholders: z.looseObject({
    image: z.tuple([z.looseObject({ offset: z.literal(0), length: z.int() })]),
  }),
});

/** Returns the body of a request whose prompt is one image. */
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
 * Returns the ids of the image, which are all ids of the reply's prompt.
 *
 * @throws EngineError if the reply names none, or others than a prompt can be sent with again
 */
export function readExpansion(body: string, tokenId: number): Int32Array {
  const reply = expansionSchema.safeParse(jsonObject(body));
  if (!reply.success) {
    throw new EngineError("engine_error", IMAGES_UNTOLD);
  }
  const { prompt_token_ids: ids, mm_placeholders: ranges } = reply.data;
  if (ids[0] !== tokenId || ranges.image[0].length !== ids.length) {
    const message =
      "The engine puts other tokens before those of an image, so its prompts with images cannot be repeated.";
    throw new EngineError("engine_error", message);
  }
  return Int32Array.from(ids);
}

/** Returns the field of a request whose ids have all tokens of the images, for a server that has the images in its cache. */
export function featuresField(images: readonly CallImage[]): string {
  const features = {
    mm_hashes: { image: images.map(({ sha256 }) => sha256) },
    mm_placeholders: { image: images.map(({ offset, length }) => ({ offset, length })) },
  };
  return `,"features":${JSON.stringify(features)}`;
}
