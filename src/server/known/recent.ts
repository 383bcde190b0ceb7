import { LRUCache } from "lru-cache";
import type { Session } from "../../session/session.js";

/** Agents with sub-agents send a few conversations in turns. */
const PER_SESSION = 4;

/** The recent items of one session, the newest first. */
export interface RecentItems<T> {
  readonly items: readonly T[];
  /** @param replaced an item that the new one goes on from */
  add(item: T, replaced?: T): void;
}

/**
 * What the newest requests of each session were made of, so that of the next one only what is new costs something. Where
 * it takes too much memory, the sessions that were used least lately are forgotten: they pay once for a whole request.
 */
export class Recent<T extends object> {
  readonly #sessions: LRUCache<Session, readonly T[]>;

  /**
   * @param maxBytes 0 keeps nothing
   * @param bytesOf what an item takes
   */
  constructor(maxBytes: number, bytesOf: (item: T) => number) {
    this.#sessions = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: (items) => items.reduce((bytes, item) => bytes + bytesOf(item), 1),
    });
  }

  of(session: Session): RecentItems<T> {
    const items = this.#sessions.get(session) ?? [];
    return { items, add: (item, replaced) => this.#add(session, item, replaced) };
  }

  #add(session: Session, item: T, replaced: T | undefined): void {
    if (session.lifecycle.freed) return;
    const others = (this.#sessions.get(session) ?? []).filter((each) => each !== replaced);
    this.#sessions.set(session, [item, ...others].slice(0, PER_SESSION));
  }

  /** Forgets sessions that are over. */
  sweep(): void {
    const over = Array.from(this.#sessions.keys()).filter(({ lifecycle }) => lifecycle.freed);
    for (const session of over) this.#sessions.delete(session);
  }

  /** Bytes that the items take. */
  get bytes(): number {
    return this.#sessions.calculatedSize;
  }
}
