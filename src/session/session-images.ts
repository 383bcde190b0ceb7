import type { ImageFiles, PlacedImage } from "../conversation/content.js";
import type { ByteTally } from "./session-size.js";
import { SharedPool } from "./shared-pool.js";

const NO_FILES: ImageFiles = new Map();
const NO_IMAGES: readonly ImageBytes[] = [];

/** The file of an image. */
export interface ImageBytes {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** The image files of all sessions of a process, by {@link ImageBytes.sha256}. */
export class ImagePool extends SharedPool<Uint8Array> {
  constructor(tally?: ByteTally) {
    super(({ length }) => length, tally);
  }
}

/** Returns the bytes without the rest of a larger buffer, such as a request's body, which they would keep in memory. */
function toOwn(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** The image files of one session, each of them once. */
export class SessionImages implements Iterable<ImageBytes> {
  readonly #pool: ImagePool;
  readonly #files = new Map<string, Uint8Array>();

  constructor(pool: ImagePool) {
    this.#pool = pool;
  }

  get isEmpty(): boolean {
    return this.#files.size === 0;
  }

  get(sha256: string): Uint8Array | undefined {
    return this.#files.get(sha256);
  }

  /** Keeps a file. Returns false if the session has it. */
  add({ sha256, bytes }: ImageBytes): boolean {
    if (this.#files.has(sha256)) return false;
    this.#files.set(
      sha256,
      this.#pool.acquire(sha256, () => toOwn(bytes)),
    );
    return true;
  }

  /**
   * Lists the files of images that the session does not have, each of them once.
   *
   * @throws Error if `files` lacks one of them
   */
  listNew(images: readonly PlacedImage[] | undefined, files: ImageFiles = NO_FILES): readonly ImageBytes[] {
    if (!images) return NO_IMAGES;
    return this.#listMissing(images).map((sha256) => {
      const bytes = files.get(sha256);
      if (!bytes) throw new Error(`The file of image ${sha256} is neither in the answer nor in the session.`);
      return { sha256, bytes };
    });
  }

  /** Returns the size of the files that {@link listNew} would list, in bytes. */
  measureNew(images: readonly PlacedImage[] | undefined, files: ImageFiles = NO_FILES): number {
    if (!images) return 0;
    return this.#listMissing(images).reduce((sum, sha256) => sum + (files.get(sha256)?.length ?? 0), 0);
  }

  /** In the order in which they were added. */
  *[Symbol.iterator](): Iterator<ImageBytes> {
    for (const [sha256, bytes] of this.#files) yield { sha256, bytes };
  }

  /** Frees the files that no other session uses. */
  clear(): void {
    for (const sha256 of this.#files.keys()) this.#pool.release(sha256);
    this.#files.clear();
  }

  #listMissing(images: readonly PlacedImage[]): string[] {
    const missing = images.map(({ sha256 }) => sha256).filter((sha256) => !this.#files.has(sha256));
    return [...new Set(missing)];
  }
}
