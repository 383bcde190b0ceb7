import { ApiError } from "../../http/errors.js";
import type { SharedMemory } from "../../session/batch/batch-memory.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { groupDigits } from "../../support/group-digits.js";
import type { ConversationMemory } from "../memory/conversation-memory.js";
import { type Heap, HeapWatch } from "./heap-watch.js";
import { PEAK_OF_BODY, type ProcessMemory } from "./process-memory.js";

export interface StoreLimits {
  /** Memory of all sessions and of what is kept for them, in bytes. */
  readonly bytes: number;
  /** Share of the limits above which new sessions are refused. */
  readonly highWater: number;
}

export interface MemoryBudgetOptions {
  readonly registry: SessionRegistry;
  readonly conversations: Pick<ConversationMemory, "bytes" | "clear">;
  readonly sharedMemory: SharedMemory;
  readonly limits: StoreLimits;
  readonly heap: Heap;
  readonly memory: ProcessMemory;
}

/** Memory that a call in flight may still take, in bytes. */
export interface CallMemory {
  /** Text of the request, in the heap. */
  readonly text: number;
  /** Native memory of its prompt, or what it adds to its session if that is more. */
  readonly prompt: number;
  /** Size of its body until the prompt is built. At its peak, it takes {@link PEAK_OF_BODY} times as much. */
  readonly growing: number;
}

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
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #heap: HeapWatch;
  /** Of all calls in flight. */
  #inFlight: CallMemory = { text: 0, prompt: 0, growing: 0 };

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
    this.#heap = new HeapWatch(options.heap);
  }

  /** Memory of sessions, remembered requests, shared batches and calls in flight, in bytes. */
  get bytes(): number {
    const { registry, conversations, sharedMemory } = this.#options;
    return (
      registry.bytes + conversations.bytes + sharedMemory.bytesInMemory + this.#inFlight.text + this.#inFlight.prompt
    );
  }

  get limit(): number {
    return this.#options.limits.bytes;
  }

  /** Memory of JavaScript objects, in bytes. */
  get heapBytes(): number {
    return this.#heap.use.used;
  }

  get heapLimit(): number {
    return Math.floor(HEAP_SHARE * this.#heap.use.limit);
  }

  /** @throws ApiError `store_full` if no session may be started */
  requireRoomForSession(): void {
    const { highWater } = this.#options.limits;
    const refusal = "accepts no new sessions until some are exported or deleted";
    const [storeMark, heapMark] = [highWater * this.limit, highWater * this.heapLimit];
    if (this.#isStoreFull(storeMark)) throw fullError("store", refusal, this.bytes, storeMark);
    if (this.#isHeapFull(heapMark)) throw fullError("heap", refusal, this.heapBytes, heapMark);
  }

  /** @throws ApiError `store_full` if there is no room for a call */
  requireRoomForCall(call: Pick<CallMemory, "text" | "prompt">): void {
    const refusal = "accepts no model calls until sessions are exported or deleted";
    const dropKnown = () => this.#options.conversations.clear();
    const roomInStore = this.limit - call.text - call.prompt;
    if (this.#isStoreFull(roomInStore, dropKnown)) throw fullError("store", refusal, this.bytes, this.limit);
    const roomInHeap = this.heapLimit - this.#inFlight.text - COPIES_OF_TEXT * call.text;
    if (this.#isHeapFull(roomInHeap, dropKnown)) throw fullError("heap", refusal, this.heapBytes, this.heapLimit);
  }

  /**
   * Requires room for what the body of a call takes at its peak, beside the other bodies whose prompts are not built yet.
   *
   * @throws ApiError `store_full` if there is none
   */
  requireRoomForBody(bytes: number): void {
    const { memory } = this.#options;
    const { growing } = this.#inFlight;
    const refusal = "accepts no call with so long a body until other calls have ended";
    const room = memory.limit - PEAK_OF_BODY * (growing + bytes);
    const excess = memory.used - room;
    // Only garbage is freed for a body: sessions that are kept for another export are worth more.
    if (excess > 0 && (room < 0 || this.#heap.exceeds(this.heapBytes - excess, () => false))) {
      throw fullError("process", refusal, memory.used + PEAK_OF_BODY * growing, memory.limit);
    }
  }

  /** Counts the memory of a call in flight, instead of what was counted for it before. */
  replace(before: CallMemory, now: CallMemory): void {
    const { text, prompt, growing } = this.#inFlight;
    this.#inFlight = {
      text: text + now.text - before.text,
      prompt: prompt + now.prompt - before.prompt,
      growing: growing + now.growing - before.growing,
    };
  }

  /** @param last frees more memory, as the last step before a refusal */
  #isStoreFull(room: number, last: () => void = () => undefined): boolean {
    const { registry, sharedMemory } = this.#options;
    const isFull = () => this.bytes > room;
    if (isFull()) sharedMemory.dropFree();
    if (isFull()) registry.freeRetained(() => !isFull());
    if (isFull()) last();
    return isFull();
  }

  #isHeapFull(room: number, last: () => void = () => undefined): boolean {
    const { registry } = this.#options;
    return this.#heap.exceeds(room, () => {
      const { bytes } = this;
      registry.freeRetained(() => false);
      last();
      return registry.forgetFreed() || this.bytes < bytes;
    });
  }
}

const PLACES = { store: "memory for sessions", heap: "JavaScript heap", process: "process" } as const;

function fullError(resource: keyof typeof PLACES, refusal: string, used: number, allowed: number): ApiError {
  const place = PLACES[resource];
  const [usedText, allowedText] = [used, allowed].map((bytes) => groupDigits(Math.round(bytes)));
  const message = `The server ${refusal}: its ${place} uses ${usedText} of ${allowedText} bytes.`;
  const details = { resource, used: Math.round(used), allowed: Math.round(allowed) };
  return new ApiError("store_full", message, { details });
}
