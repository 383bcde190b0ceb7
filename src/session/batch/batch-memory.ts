import { readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { native } from "../../native/addon.js";
import type { NativeSharedPool } from "../../native/contract.js";

/**
 * The memory of a batch.
 *
 * - `heap`: memory of this process.
 * - `shared`: a file under /dev/shm, which other processes can map.
 * - `pinned`: page-locked memory, from which a GPU of this process copies directly.
 */
export type BatchMemory = "heap" | "shared" | "pinned";

export interface SharedMemoryOptions {
  /** Default `/dev/shm`. */
  readonly directory?: string;
  /** Limit for all files together, in bytes. Free files that wait for another batch count. Default 4 GiB. */
  readonly maxBytes?: number;
  /** Free files are removed after this time without a batch. Default 60,000. */
  readonly unusedMilliseconds?: number;
}

const DEFAULT_DIRECTORY = "/dev/shm";
const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
const DEFAULT_UNUSED_MS = 60_000;
const TRIM_EVERY_MS = 5_000;

/** Types of file systems in memory, as `statfs` reports them: tmpfs and ramfs. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);

/** The shared files of one exporter. The pool is created when the first batch needs it. */
export class SharedMemory {
  readonly #options: SharedMemoryOptions;
  #pool: NativeSharedPool | undefined;
  #trimmer: NodeJS.Timeout | undefined;
  #closed = false;
  #isInMemory: boolean | undefined;

  constructor(options: SharedMemoryOptions = {}) {
    this.#options = options;
  }

  get pool(): NativeSharedPool {
    const { directory = DEFAULT_DIRECTORY, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    this.#pool ??= new native.SharedPool({ directory, maxBytes });
    return this.#pool;
  }

  /**
   * Identifies the file system of the files, and the machine that it is on: processes with the same identity map each other's files.
   * Undefined if it cannot be read.
   */
  get machine(): string | undefined {
    return readMachine(this.#options.directory ?? DEFAULT_DIRECTORY);
  }

  /** Memory of the files, in bytes; 0 if they are on a disk. */
  get bytesInMemory(): number {
    if (!this.#pool) return 0;
    this.#isInMemory ??= isInMemory(this.#options.directory ?? DEFAULT_DIRECTORY);
    return this.#isInMemory ? this.#pool.use.bytes : 0;
  }

  /** Removes the files that no batch uses. */
  dropFree(): void {
    this.#pool?.trim(0);
  }

  /** Removes files that no batch has used for a while. */
  trim(): void {
    this.#pool?.trim(this.#options.unusedMilliseconds ?? DEFAULT_UNUSED_MS);
  }

  /** Starts to trim at regular intervals, until this object is closed or garbage-collected. */
  startTrimming(): void {
    if (!this.#closed) this.#trimmer ??= trimRepeatedly(new WeakRef(this));
  }

  /** Removes the files that dead processes of this user left in the directory. */
  removeOrphans(): void {
    removeOrphanedBatches(this.#options.directory ?? DEFAULT_DIRECTORY);
  }

  /** Unlinks the files that no batch uses, and creates no more. Existing batches stay valid. Idempotent. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#trimmer);
    this.#pool?.close();
  }
}

/** The kernel chooses it at boot. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/** The same text as in python/src/rolltape/client/machine.py. Containers of one machine differ in the number of the device. */
function readMachine(directory: string): string | undefined {
  try {
    return `${readFileSync(BOOT_ID, "utf8").trim()}:${statSync(directory).dev}`;
  } catch {
    return undefined;
  }
}

function isInMemory(directory: string): boolean {
  try {
    return IN_MEMORY.has(statfsSync(directory).type);
  } catch {
    // If the directory cannot be examined, no batch can be written to it.
    return false;
  }
}

/** The weak reference and `unref` are needed: otherwise the timer would keep the memory and the process alive. */
function trimRepeatedly(memory: WeakRef<SharedMemory>): NodeJS.Timeout {
  const timer = setInterval(() => {
    const target = memory.deref();
    if (target) target.trim();
    else clearInterval(timer);
  }, TRIM_EVERY_MS);
  return timer.unref();
}

/** Names of the lock files of pools. Each pool locks one file as long as its process lives. */
const LOCK = /^rolltape-\d+-[0-9a-f]+\.lock$/;

/**
 * Removes the batch files of this user's dead processes, for example after `kill -9`. Batches that a reader moved, linked or mapped
 * stay.
 */
function removeOrphanedBatches(directory: string): void {
  if (!hasLocks(directory)) return;
  try {
    // Opening a pool removes the files of pools whose lock file is not locked any more.
    new native.SharedPool({ directory, maxBytes: 1 }).close();
  } catch {
    // If files cannot be created in the directory, the first batch reports it.
  }
}

function hasLocks(directory: string): boolean {
  try {
    return readdirSync(directory).some((name) => LOCK.test(name));
  } catch {
    return false;
  }
}
