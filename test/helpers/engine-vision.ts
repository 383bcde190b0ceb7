import { readImageFile } from "../../src/conversation/image-file.js";
import { divideImage } from "../../src/model/images/image-grid.js";
import { BadRequest } from "./sglang/protocol.js";
import { HiddenRefusal, Refusal } from "./vllm/refusal.js";

type Fields = Readonly<Record<string, unknown>>;

/** Values of Qwen2.5-VL's published files. */
const RULE = { patchSize: 14, mergeSize: 2, minPixels: 3136, maxPixels: 12_845_056 };

/** The image processor of an engine's test server. Real servers answered alike: see `captures` of Qwen2.5-VL. */
export class EngineVision {
  readonly #tokenId: number;
  /** The server's cache: what was sent under each digest. */
  readonly #tokens = new Map<string, number>();
  /** Images that were sent with their bytes. */
  received = 0;

  constructor(tokenId: number) {
    this.#tokenId = tokenId;
  }

  /** Empties the cache, as a restart does. */
  forget(): void {
    this.#tokens.clear();
  }

  /** Returns the ids of SGLang's prompt: its image tokens must be as many as the images. */
  expandForSglang(ids: readonly number[], { image_data: data }: Fields): number[] {
    const images = (Array.isArray(data) ? data : []).map((url) => this.#count(String(url)));
    const shown = ids.filter((id) => id === this.#tokenId).length;
    if (images.length > 0 && shown !== images.length) {
      throw new BadRequest(
        `prompt has ${shown} image placeholder token(s) but ${images.length} image(s) were provided`,
      );
    }
    return this.#expand(ids, images);
  }

  /** Returns the ids of vLLM's prompt. It takes more image tokens than images without an error. */
  expandForVllm(ids: readonly number[], { content_parts: parts, features }: Fields): number[] {
    if (features !== undefined) {
      const { mm_hashes: hashes, mm_placeholders: ranges } = features as {
        mm_hashes: { image: string[] };
        mm_placeholders: { image: { length: number }[] };
      };
      const isCached = hashes.image.every((hash, i) => this.#tokens.get(hash) === ranges.image[i]?.length);
      if (!isCached) throw new HiddenRefusal("Internal server error");
      return [...ids];
    }
    const images = (Array.isArray(parts) ? parts : []).map((part: { url: string; uuid: string }) => {
      const known = this.#tokens.get(part.uuid) ?? this.#count(part.url);
      this.#tokens.set(part.uuid, known);
      return known;
    });
    const shown = ids.filter((id) => id === this.#tokenId).length;
    if (shown < images.length) {
      const message = `Failed to apply prompt replacement for mm_items['image'][${shown}]`;
      throw new Refusal(message, { status: 500, type: "InternalServerError" });
    }
    return this.#expand(ids, images);
  }

  #count(url: string): number {
    this.received++;
    const bytes = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
    return divideImage(readImageFile(bytes), RULE)?.tokens ?? 0;
  }

  #expand(ids: readonly number[], images: readonly number[]): number[] {
    const left = [...images];
    return ids.flatMap((id) => (id === this.#tokenId ? Array.from({ length: left.shift() ?? 1 }, () => id) : id));
  }
}
