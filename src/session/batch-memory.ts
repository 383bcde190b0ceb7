import { native } from "../native/addon.js";
import type { NativeSharedPool } from "../native/contract.js";

/**
 * Where a batch lives: in this process, in a file under /dev/shm that other processes map, or in page-locked memory from
 * which a GPU of this process copies.
 */
export type BatchMemory = "heap" | "shared" | "pinned";

export interface SharedMemoryOptions {
  /** Default `/dev/shm`. */
  readonly directory?: string;
  /** Memory of all files together, those included that wait to be used again. Default 4 GiB. */
  readonly maxBytes?: number;
}

const DEFAULT_DIRECTORY = "/dev/shm";
const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
/** A slot that no batch used for so long is given back. */
const UNUSED_MS = 60_000;

/** The shared files of one exporter, made when the first batch asks for one. */
export class SharedMemory {
  readonly #options: SharedMemoryOptions;
  #pool: NativeSharedPool | undefined;

  constructor(options: SharedMemoryOptions = {}) {
    this.#options = options;
  }

  get pool(): NativeSharedPool {
    const { directory = DEFAULT_DIRECTORY, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    this.#pool ??= new native.SharedPool({ directory, maxBytes });
    return this.#pool;
  }

  /** Gives back slots that were not used for a while. */
  trim(): void {
    this.#pool?.trim(UNUSED_MS);
  }

  /** Unlinks what no batch holds, and makes no more files. */
  close(): void {
    this.#pool?.close();
  }
}
