import { LRUCache } from "lru-cache";
import type { EncodedText } from "../../model/tokenizer/encoded-text.js";
import { totalLength } from "../../model/tokenizer/total-length.js";
import { native } from "../../native/addon.js";
import type { Session } from "../../session/session.js";
import { TOKEN_BYTES } from "../../session/session-size.js";
import type { KnownBody } from "./known-body.js";
import { MemorySlot } from "./memory-slot.js";
import type { KnownPromptText } from "./prompt-texts.js";

// Memory of objects beside their text, in bytes. In a conversation of many short messages this is the larger part.
const ELEMENT_BYTES = 160;
const PART_BYTES = 40;
const CUT_BYTES = 40;

/** The memory of several models, of which each has one. */
export function joinMemories(
  memories: readonly ConversationMemory[],
): Pick<ConversationMemory, "bytes" | "clear" | "sweep"> {
  return {
    get bytes() {
      return memories.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    clear() {
      for (const memory of memories) memory.clear();
    },
    sweep() {
      for (const memory of memories) memory.sweep();
    },
  };
}

/**
 * Remembers the newest requests of each session, so that the next request costs only what is new in it.
 *
 * Each session has one entry with a slot for each step that remembers something. If all entries take too much memory, those of the
 * least recently used sessions are dropped; the next request of such a session is processed as a whole.
 */
export class ConversationMemory {
  readonly #maxBytes: number;
  /** The memory of each session, in bytes. */
  readonly #sessions: LRUCache<Session, number>;

  /** Request bodies. They are kept as bytes and as parsed messages, which take about the same memory. */
  readonly bodies = new MemorySlot<KnownBody>({
    measure: ({ bytes, ends }) => 2 * bytes.length + ELEMENT_BYTES * ends.length,
    // Requests that share elements with a body use its elements, and not its bytes.
    free: ({ bytes }) => native.freeBytes(bytes),
    onChange: (session) => this.#resize(session),
  });

  /** Rendered and encoded prompts. */
  readonly prompts = new MemorySlot<EncodedText>({
    measure: ({ characters, idPieces, parts, cuts }) =>
      characters + TOKEN_BYTES * totalLength(idPieces) + PART_BYTES * parts.length + CUT_BYTES * cuts.length,
    onChange: (session) => this.#resize(session),
  });

  /** Prompts as they were written for the engine. */
  readonly promptTexts = new MemorySlot<KnownPromptText>({
    measure: ({ text }) => text.memory,
    free: ({ text }) => text.free(),
    onChange: (session) => this.#resize(session),
  });

  /** If a session has too many items, they are dropped in this order: the ones that are fastest to make again first. */
  readonly #slots = [this.promptTexts, this.prompts, this.bodies];

  /** @param maxBytes 0 keeps nothing */
  constructor(maxBytes: number) {
    this.#maxBytes = Math.floor(maxBytes);
    this.#sessions = new LRUCache({
      maxSize: Math.max(1, this.#maxBytes),
      sizeCalculation: (bytes) => bytes,
      dispose: (_bytes, session, reason) => {
        if (reason !== "set") for (const slot of this.#slots) slot.drop(session);
      },
    });
  }

  /** Memory of everything that is remembered. */
  get bytes(): number {
    return this.bodies.bytes + this.prompts.bytes + this.promptTexts.bytes;
  }

  /** Counts the entry of a session again, as the one that was used last. */
  #resize(session: Session): void {
    let bytes = this.#measure(session);
    for (const slot of this.#slots) {
      while (bytes > this.#maxBytes && slot.dropOldest(session)) bytes = this.#measure(session);
    }
    if (bytes > 0) this.#sessions.set(session, bytes);
    else this.#sessions.delete(session);
  }

  #measure(session: Session): number {
    return this.bodies.measure(session) + this.prompts.measure(session) + this.promptTexts.measure(session);
  }

  /** Drops what is remembered of sessions whose data is freed. */
  sweep(): void {
    const freed = Array.from(this.#sessions.keys()).filter(({ lifecycle }) => lifecycle.freed);
    for (const session of freed) this.#sessions.delete(session);
  }

  /** Drops everything. Then the next request of each session is processed completely. */
  clear(): void {
    this.#sessions.clear();
  }
}
