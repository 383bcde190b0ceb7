import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
/** V8's limit includes the young generation (three semi-spaces of 16 MiB), which old objects cannot use. */
const YOUNG_GENERATION_BYTES = 48 * 1024 ** 2;
const SAMPLE_MS = 100;
/** Maximum share of time for collecting garbage. Collecting some gigabytes takes about a second. */
const COLLECT_SHARE = 1 / 20;
const MIN_COLLECT_PAUSE_MS = 1000;
/** Returns the heap of this process. */
export function createHeap() {
    let collectGarbage;
    return {
        read() {
            const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
            return { used, limit: Math.max(1, limit - YOUNG_GENERATION_BYTES) };
        },
        collect() {
            collectGarbage ??= exposeCollector();
            collectGarbage();
        },
    };
}
/** Returns V8's function `gc`, as Node has no other way to collect on demand. Only contexts created after the flag is set have it. */
function exposeCollector() {
    setFlagsFromString("--expose-gc");
    return runInNewContext("gc");
}
/**
 * Reads the heap at most every 100 ms.
 *
 * If a reading is too large, it collects garbage and reads again. V8 lets garbage grow up to its limit, and a server that refuses
 * all calls allocates too little for V8 to collect by itself.
 */
export class HeapWatch {
    #heap;
    #use;
    #readAt = 0;
    #collectFrom = 0;
    constructor(heap) {
        this.#heap = heap;
    }
    get use() {
        return this.#use && performance.now() - this.#readAt < SAMPLE_MS ? this.#use : this.#read();
    }
    /**
     * Returns true if the objects in use take more than `bytes`.
     *
     * @param release drops objects that are not needed. Returns false if there were none.
     */
    exceeds(bytes, release) {
        if (this.use.used <= bytes)
            return false;
        const start = performance.now();
        if (start < this.#collectFrom)
            return true;
        const exceeded = this.#collect() > bytes && !(release() && this.#collect() <= bytes);
        const end = performance.now();
        this.#collectFrom = end + Math.max(MIN_COLLECT_PAUSE_MS, (end - start) / COLLECT_SHARE);
        return exceeded;
    }
    #collect() {
        this.#heap.collect();
        return this.#read().used;
    }
    #read() {
        this.#readAt = performance.now();
        this.#use = this.#heap.read();
        return this.#use;
    }
}
//# sourceMappingURL=heap-watch.js.map