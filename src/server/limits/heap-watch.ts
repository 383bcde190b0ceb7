import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readYoungGeneration } from "./young-generation.js";

/** Memory of JavaScript objects, in bytes. */
export interface HeapUse {
  /** Objects, including those that the garbage collector has not removed yet. */
  readonly used: number;
  /** V8 ends the process if more stays in use. */
  readonly limit: number;
}

/** Access to the heap. Tests inject a fake. */
export interface Heap {
  read(): HeapUse;
  /** Collects garbage, so that the next reading counts only objects in use. Stalls the event loop. */
  collect(): void;
}

const SAMPLE_MS = 100;
/** Maximum share of time for collecting garbage. Collecting some gigabytes takes about a second. */
const COLLECT_SHARE = 1 / 20;
const MIN_COLLECT_PAUSE_MS = 1000;

/** Returns the heap of this process. */
export function createHeap(): Heap {
  let collectGarbage: (() => void) | undefined;
  // V8's limit includes it.
  const { bytes: youngBytes } = readYoungGeneration();
  return {
    read() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      return { used, limit: Math.max(1, limit - youngBytes) };
    },
    collect() {
      collectGarbage ??= exposeCollector();
      collectGarbage();
    },
  };
}

/** Returns V8's function `gc`, as Node has no other way to collect on demand. Only contexts created after the flag is set have it. */
function exposeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/**
 * Reads the heap at most every 100 ms.
 *
 * If a reading is too large, it collects garbage and reads again. V8 lets garbage grow up to its limit, and a server that refuses
 * all calls allocates too little for V8 to collect by itself.
 */
export class HeapWatch {
  readonly #heap: Heap;
  #use: HeapUse | undefined;
  #readAt = 0;
  #collectFrom = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  get use(): HeapUse {
    return this.#use && performance.now() - this.#readAt < SAMPLE_MS ? this.#use : this.#read();
  }

  /**
   * Returns true if the objects in use take more than `bytes`.
   *
   * @param release drops objects that are not needed. Returns false if there were none.
   */
  exceeds(bytes: number, release: () => boolean): boolean {
    if (this.use.used <= bytes) return false;
    const start = performance.now();
    if (start < this.#collectFrom) return true;
    const exceeded = this.#collect() > bytes && !(release() && this.#collect() <= bytes);
    const end = performance.now();
    this.#collectFrom = end + Math.max(MIN_COLLECT_PAUSE_MS, (end - start) / COLLECT_SHARE);
    return exceeded;
  }

  #collect(): number {
    this.#heap.collect();
    return this.#read().used;
  }

  #read(): HeapUse {
    this.#readAt = performance.now();
    this.#use = this.#heap.read();
    return this.#use;
  }
}
