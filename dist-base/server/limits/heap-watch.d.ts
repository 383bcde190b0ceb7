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
/** Returns the heap of this process. */
export declare function createHeap(): Heap;
/**
 * Reads the heap at most every 100 ms.
 *
 * If a reading is too large, it collects garbage and reads again. V8 lets garbage grow up to its limit, and a server that refuses
 * all calls allocates too little for V8 to collect by itself.
 */
export declare class HeapWatch {
    #private;
    constructor(heap: Heap);
    get use(): HeapUse;
    /**
     * Returns true if the objects in use take more than `bytes`.
     *
     * @param release drops objects that are not needed. Returns false if there were none.
     */
    exceeds(bytes: number, release: () => boolean): boolean;
}
