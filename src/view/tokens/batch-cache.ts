import { BatchTokens } from "../../batch-file/batch-tokens.js";
import type { FileAccess } from "../../support/file-access.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";

/** Maximum number of open batches. The list of rows of a batch with thousands of rows takes a few megabytes. */
const MAX_OPEN = 4;

/**
 * The tensor files beside a transcript. A name in a transcript is untrusted: it may only name a regular file in the same
 * folder, also after links are followed.
 */
export class BatchCache implements AsyncDisposable {
  readonly #files: FileAccess;
  readonly #folder: string;
  /** The most recently used one is last. */
  readonly #open = new Map<string, Promise<BatchTokens | undefined>>();
  /** Number of calls of {@link use} that have not ended. */
  #users = 0;
  /** Batches that were removed from the cache. They are closed when no call uses batches. */
  readonly #unused: BatchTokens[] = [];

  constructor(files: FileAccess, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Returns the path of a batch; undefined if there is no such file in the folder. */
  async find(name: string): Promise<string | undefined> {
    return isFileName(name) ? this.#files.find(this.#folder, name) : undefined;
  }

  /** Calls `use` with the batches of these names that can be read. They stay open until it has ended. */
  async use<T>(names: readonly string[], use: (batches: readonly BatchTokens[]) => Promise<T>): Promise<T> {
    this.#users++;
    try {
      const batches = await Promise.all(names.map((name) => this.#load(name)));
      return await use(batches.filter((batch) => batch !== undefined));
    } finally {
      this.#users--;
      await this.#closeUnused();
    }
  }

  async #load(name: string): Promise<BatchTokens | undefined> {
    const known = this.#open.get(name);
    if (known) {
      this.#open.delete(name);
      this.#open.set(name, known);
      return known;
    }
    // Calls that come together share the result, so it must not be an error for some of them.
    const opened = this.#read(name).catch(() => undefined);
    this.#open.set(name, opened);
    const batch = await opened;
    // The file may appear or be complete later.
    if (!batch && this.#open.get(name) === opened) this.#open.delete(name);
    for (const [oldest, promise] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
      void promise.then((unused) => unused && this.#unused.push(unused));
    }
    return batch;
  }

  async #read(name: string): Promise<BatchTokens | undefined> {
    const path = await this.find(name);
    if (path === undefined) return undefined;
    const file = await this.#files.open(path);
    return BatchTokens.read(await TensorFile.read(file, (await file.stat()).size));
  }

  async #closeUnused(): Promise<void> {
    if (this.#users > 0) return;
    for (const batch of this.#unused.splice(0)) await batch[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const promise of this.#open.values()) await (await promise)?.[Symbol.asyncDispose]();
    this.#open.clear();
    await this.#closeUnused();
  }
}

/** Returns true if the text is the name of a file and not a path. */
export function isFileName(name: string): boolean {
  return /^[^/\\\0]+$/.test(name) && name !== "." && name !== "..";
}
