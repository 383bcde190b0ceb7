import { readImageFile } from "../../src/conversation/image-file.js";
import { divideImage, type PatchRule } from "../../src/model/images/image-grid.js";
import { BadRequest } from "./sglang/protocol.js";
import { HiddenRefusal, Refusal } from "./vllm/refusal.js";

type Fields = Readonly<Record<string, unknown>>;

export interface TokenRange {
  readonly offset: number;
  readonly length: number;
}

/** Values of Qwen2.5-VL's published files. */
const RULE = { patchSize: 14, mergeSize: 2, minPixels: 3136, maxPixels: 12_845_056 };

export interface ExpandedIds {
  readonly ids: number[];
  readonly ranges: readonly TokenRange[];
}

/** The image processor of an engine's test server. Real servers answered alike: see `captures` of Qwen2.5-VL. */
export class EngineVision {
  readonly #tokenId: number;
  #rule: PatchRule;
  /** Returns the ids of an image with so many tokens. */
  readonly #idsOf: (tokens: number) => readonly number[];
  /** The server's cache: the ids of what was sent under each digest. */
  readonly #ids = new Map<string, readonly number[]>();
  /** Images that were sent with their bytes. */
  received = 0;

  /**
   * @param rule limits that the server was started with
   * @param idsOf of a family whose images have other tokens too
   */
  constructor(
    tokenId: number,
    rule: Partial<PatchRule> = {},
    idsOf = (tokens: number): readonly number[] => Array.from({ length: tokens }, () => tokenId),
  ) {
    this.#tokenId = tokenId;
    this.#rule = { ...RULE, ...rule };
    this.#idsOf = idsOf;
  }

  /** Empties the cache, as a restart does. */
  forget(): void {
    this.#ids.clear();
  }

  /** Empties the cache, and changes limits. */
  restart(rule: Partial<PatchRule>): void {
    this.forget();
    this.#rule = { ...this.#rule, ...rule };
  }

  /** Returns the ids of SGLang's prompt: its image tokens must be as many as the images. */
  expandForSglang(ids: readonly number[], { image_data: data }: Fields): number[] {
    const images = (Array.isArray(data) ? data : []).map((url) => this.#read(String(url)));
    const shown = ids.filter((id) => id === this.#tokenId).length;
    if (images.length > 0 && shown !== images.length) {
      throw new BadRequest(
        `prompt has ${shown} image placeholder token(s) but ${images.length} image(s) were provided`,
      );
    }
    return this.#expand(ids, images).ids;
  }

  /** Returns the ids of vLLM's prompt and the places of its images. It takes more image tokens than images without an error. */
  expandForVllm(ids: readonly number[], { content_parts: parts, features }: Fields): ExpandedIds {
    if (features !== undefined) {
      const { mm_hashes: hashes, mm_placeholders: ranges } = features as {
        mm_hashes: { image: string[] };
        mm_placeholders: { image: TokenRange[] };
      };
      const isCached = hashes.image.every((hash, i) => this.#ids.get(hash)?.length === ranges.image[i]?.length);
      if (!isCached) throw new HiddenRefusal("Internal server error");
      return { ids: [...ids], ranges: ranges.image };
    }
    const images = (Array.isArray(parts) ? parts : []).map((part: { url?: string; uuid: string }, index) => {
      const sent = part.url === undefined ? undefined : () => this.#read(part.url ?? "");
      const known = this.#ids.get(part.uuid) ?? sent?.();
      if (!known) throw new Refusal(`Cache miss for image at index ${index} but data is not provided.`);
      this.#ids.set(part.uuid, known);
      return known;
    });
    const shown = ids.filter((id) => id === this.#tokenId).length;
    if (shown < images.length) {
      const message = `Failed to apply prompt replacement for mm_items['image'][${shown}]`;
      throw new Refusal(message, { status: 500, type: "InternalServerError" });
    }
    return this.#expand(ids, images);
  }

  #read(url: string): readonly number[] {
    this.received++;
    const bytes = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
    return this.#idsOf(divideImage(readImageFile(bytes), this.#rule)?.tokens ?? 0);
  }

  #expand(ids: readonly number[], images: readonly (readonly number[])[]): ExpandedIds {
    const left = [...images];
    const expanded: number[] = [];
    const ranges: TokenRange[] = [];
    for (const id of ids) {
      const image = id === this.#tokenId ? left.shift() : undefined;
      if (image) ranges.push({ offset: expanded.length, length: image.length });
      expanded.push(...(image ?? [id]));
    }
    return { ids: expanded, ranges };
  }
}
