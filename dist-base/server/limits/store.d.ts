import type { SharedMemory } from "../../session/batch/batch-memory.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { KnownRequests } from "../known/known-requests.js";
import { type Heap } from "./heap-watch.js";
export interface StoreLimits {
    /** Memory of all sessions and of what is kept for them, in bytes. */
    readonly bytes: number;
    /** Share of the limits above which new sessions are refused. */
    readonly highWater: number;
}
export interface StoreOptions {
    readonly registry: SessionRegistry;
    readonly known: KnownRequests;
    readonly sharedMemory: SharedMemory;
    readonly limits: StoreLimits;
    readonly heap: Heap;
}
/** Memory that a call in flight may still take, in bytes. */
export interface CallMemory {
    /** Text of the request, in the heap. */
    readonly text: number;
    /** Native memory of its prompt, or what it adds to its session if that is more. */
    readonly prompt: number;
}
/**
 * Limits the memory of all sessions, native and in the JavaScript heap.
 *
 * It refuses new sessions before it refuses calls, so that the calls of running sessions find room. Before any refusal, it frees
 * memory that is no longer needed.
 */
export declare class Store {
    #private;
    constructor(options: StoreOptions);
    /** Memory of sessions, remembered requests, shared batches and calls in flight, in bytes. */
    get bytes(): number;
    get limit(): number;
    /** Memory of JavaScript objects, in bytes. */
    get heapBytes(): number;
    get heapLimit(): number;
    /** @throws ApiError `store_full` if no session may be started */
    requireRoomForSession(): void;
    /** @throws ApiError `store_full` if there is no room for a call */
    requireRoomForCall(call: CallMemory): void;
    /** Counts memory of calls in flight. Negative numbers stop counting it. */
    count({ text, prompt }: CallMemory): void;
}
