import { native } from "../../native/addon.js";
import type { NativeSharedPool } from "../../native/contract.js";

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
  /** Files that no batch used for so long are given back. Default a minute. */
  readonly unusedMilliseconds?: number;
}

const DEFAULT_DIRECTORY = "/dev/shm";
const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
const DEFAULT_UNUSED_MS = 60_000;
const TRIM_EVERY_MS = 5_000;

/** The shared files of one exporter, made when the first batch asks for one. */
export class SharedMemory {
  readonly #options: SharedMemoryOptions;
  #pool: NativeSharedPool | undefined;
  #trimmer: NodeJS.Timeout | undefined;
  #closed = false;

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
    this.#pool?.trim(this.#options.unusedMilliseconds ?? DEFAULT_UNUSED_MS);
  }

  /** Gives unused slots back from now on by itself, until it is closed or collected. */
  trimByItself(): void {
    if (!this.#closed) this.#trimmer ??= trimRepeatedly(new WeakRef(this));
  }

  /** Unlinks what no batch holds, and makes no more files. Batches that are out go on as before. Idempotent. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#trimmer);
    this.#pool?.close();
  }
}

/** Keeps neither the process nor the memory alive. */
function trimRepeatedly(memory: WeakRef<SharedMemory>): NodeJS.Timeout {
  const timer = setInterval(() => {
    const target = memory.deref();
    if (target) target.trim();
    else clearInterval(timer);
  }, TRIM_EVERY_MS);
  return timer.unref();
}
