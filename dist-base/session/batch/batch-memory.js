import { statfsSync } from "node:fs";
import { native } from "../../native/addon.js";
import { removeOrphanedBatches } from "./orphaned-batches.js";
const DEFAULT_DIRECTORY = "/dev/shm";
const DEFAULT_MAX_BYTES = 4 * 1024 ** 3;
const DEFAULT_UNUSED_MS = 60_000;
const TRIM_EVERY_MS = 5_000;
/** Types of file systems in memory, as `statfs` reports them: tmpfs and ramfs. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6]);
/** The shared files of one exporter. The pool is created when the first batch needs it. */
export class SharedMemory {
    #options;
    #pool;
    #trimmer;
    #closed = false;
    #isInMemory;
    constructor(options = {}) {
        this.#options = options;
    }
    get pool() {
        const { directory = DEFAULT_DIRECTORY, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
        this.#pool ??= new native.SharedPool({ directory, maxBytes });
        return this.#pool;
    }
    /** Memory of the files, in bytes; 0 if they are on a disk. */
    get bytesInMemory() {
        if (!this.#pool)
            return 0;
        this.#isInMemory ??= isInMemory(this.#options.directory ?? DEFAULT_DIRECTORY);
        return this.#isInMemory ? this.#pool.use.bytes : 0;
    }
    /** Removes the files that no batch uses. */
    dropFree() {
        this.#pool?.trim(0);
    }
    /** Removes files that no batch has used for a while. */
    trim() {
        this.#pool?.trim(this.#options.unusedMilliseconds ?? DEFAULT_UNUSED_MS);
    }
    /** Starts to trim at regular intervals, until this object is closed or garbage-collected. */
    startTrimming() {
        if (!this.#closed)
            this.#trimmer ??= trimRepeatedly(new WeakRef(this));
    }
    /** Removes the files that dead processes of this user left in the directory. */
    removeOrphans() {
        removeOrphanedBatches(this.#options.directory ?? DEFAULT_DIRECTORY);
    }
    /** Unlinks the files that no batch uses, and creates no more. Existing batches stay valid. Idempotent. */
    close() {
        this.#closed = true;
        clearInterval(this.#trimmer);
        this.#pool?.close();
    }
}
function isInMemory(directory) {
    try {
        return IN_MEMORY.has(statfsSync(directory).type);
    }
    catch {
        // If the directory cannot be examined, no batch can be written to it.
        return false;
    }
}
/** The weak reference and `unref` are needed: otherwise the timer would keep the memory and the process alive. */
function trimRepeatedly(memory) {
    const timer = setInterval(() => {
        const target = memory.deref();
        if (target)
            target.trim();
        else
            clearInterval(timer);
    }, TRIM_EVERY_MS);
    return timer.unref();
}
//# sourceMappingURL=batch-memory.js.map