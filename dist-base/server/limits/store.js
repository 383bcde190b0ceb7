import { ApiError } from "../../http/errors.js";
import { groupDigits } from "../../support/group-digits.js";
import { HeapWatch } from "./heap-watch.js";
/**
 * Share of V8's limit that may be in use. V8 already ends a process if four fifths stay in use and collecting takes most of its
 * time. The rest is for the short-lived objects of parsing and rendering.
 */
const HEAP_SHARE = 0.7;
/** About how many copies of a body's text are in the heap while it is parsed and its prompt is rendered. */
const COPIES_OF_TEXT = 4;
/**
 * Limits the memory of all sessions, native and in the JavaScript heap.
 *
 * It refuses new sessions before it refuses calls, so that the calls of running sessions find room. Before any refusal, it frees
 * memory that is no longer needed.
 */
export class Store {
    #options;
    #heap;
    #inFlight = { text: 0, prompt: 0 };
    constructor(options) {
        this.#options = options;
        this.#heap = new HeapWatch(options.heap);
    }
    /** Memory of sessions, remembered requests, shared batches and calls in flight, in bytes. */
    get bytes() {
        const { registry, known, sharedMemory } = this.#options;
        return registry.bytes + known.bytes + sharedMemory.bytesInMemory + this.#inFlight.text + this.#inFlight.prompt;
    }
    get limit() {
        return this.#options.limits.bytes;
    }
    /** Memory of JavaScript objects, in bytes. */
    get heapBytes() {
        return this.#heap.use.used;
    }
    get heapLimit() {
        return Math.floor(HEAP_SHARE * this.#heap.use.limit);
    }
    /** @throws ApiError `store_full` if no session may be started */
    requireRoomForSession() {
        const { highWater } = this.#options.limits;
        const refusal = "accepts no new sessions until some are exported or deleted";
        const [storeMark, heapMark] = [highWater * this.limit, highWater * this.heapLimit];
        if (this.#isStoreFull(storeMark))
            throw fullError("store", refusal, this.bytes, storeMark);
        if (this.#isHeapFull(heapMark))
            throw fullError("heap", refusal, this.heapBytes, heapMark);
    }
    /** @throws ApiError `store_full` if there is no room for a call */
    requireRoomForCall(call) {
        const refusal = "accepts no model calls until sessions are exported or deleted";
        const dropKnown = () => this.#options.known.clear();
        const roomInStore = this.limit - call.text - call.prompt;
        if (this.#isStoreFull(roomInStore, dropKnown))
            throw fullError("store", refusal, this.bytes, this.limit);
        const roomInHeap = this.heapLimit - this.#inFlight.text - COPIES_OF_TEXT * call.text;
        if (this.#isHeapFull(roomInHeap, dropKnown))
            throw fullError("heap", refusal, this.heapBytes, this.heapLimit);
    }
    /** Counts memory of calls in flight. Negative numbers stop counting it. */
    count({ text, prompt }) {
        this.#inFlight = { text: this.#inFlight.text + text, prompt: this.#inFlight.prompt + prompt };
    }
    /** @param last frees more memory, as the last step before a refusal */
    #isStoreFull(room, last = () => undefined) {
        const { registry, sharedMemory } = this.#options;
        const isFull = () => this.bytes > room;
        if (isFull())
            sharedMemory.dropFree();
        if (isFull())
            registry.freeRetained(() => !isFull());
        if (isFull())
            last();
        return isFull();
    }
    #isHeapFull(room, last = () => undefined) {
        const { registry } = this.#options;
        return this.#heap.exceeds(room, () => {
            const { bytes } = this;
            registry.freeRetained(() => false);
            last();
            return registry.forgetFreed() || this.bytes < bytes;
        });
    }
}
function fullError(resource, refusal, used, allowed) {
    const place = resource === "store" ? "memory for sessions" : "JavaScript heap";
    const [usedText, allowedText] = [used, allowed].map((bytes) => groupDigits(Math.round(bytes)));
    const message = `The server ${refusal}: its ${place} uses ${usedText} of ${allowedText} bytes.`;
    const details = { resource, used: Math.round(used), allowed: Math.round(allowed) };
    return new ApiError("store_full", message, { details });
}
//# sourceMappingURL=store.js.map