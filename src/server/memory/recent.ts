import { LRUCache } from "lru-cache";
import type { Session } from "../../session/session.js";

/** An agent with sub-agents alternates between a few conversations. */
const PER_SESSION = 4;

/** The recent items of one session, the newest first. */
export interface RecentItems<T> {
  readonly items: readonly T[];
  /** @param replaced an item that the new one continues, which is dropped */
  add(item: T, replaced?: T): void;
  /** Removes an item without freeing its memory, which then belongs to the caller. */
  take(item: T): void;
}

/**
 * Items of the newest requests of each session, so that the next request costs only what is new in it. If they take too much
 * memory, the least recently used sessions are dropped; the next request of such a session is processed as a whole.
 */
export class Recent<T extends object> {
  readonly #sessions: LRUCache<Session, readonly T[]>;
  readonly #free: (item: T) => void;

  /**
   * @param maxBytes 0 keeps nothing
   * @param measure returns the memory of an item, in bytes
   * @param free frees memory of an item that is kept no longer. Requests that share parts with it may still run
   */
  constructor(maxBytes: number, measure: (item: T) => number, free: (item: T) => void = () => undefined) {
    this.#free = free;
    this.#sessions = new LRUCache({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: (items) => items.reduce((bytes, item) => bytes + measure(item), 1),
      dispose: (items, _session, reason) => {
        if (reason !== "set") for (const item of items) free(item);
      },
    });
  }

  forSession(session: Session): RecentItems<T> {
    const items = this.#sessions.get(session) ?? [];
    return {
      items,
      add: (item, replaced) => this.#add(session, item, replaced),
      take: (item) => this.#take(session, item),
    };
  }

  #add(session: Session, item: T, replaced: T | undefined): void {
    if (session.lifecycle.freed) return;
    const earlier = this.#sessions.get(session) ?? [];
    const kept = [item, ...earlier.filter((each) => each !== replaced)].slice(0, PER_SESSION);
    this.#sessions.set(session, kept);
    for (const each of earlier) if (!kept.includes(each)) this.#free(each);
  }

  #take(session: Session, item: T): void {
    const earlier = this.#sessions.get(session) ?? [];
    this.#sessions.set(
      session,
      earlier.filter((each) => each !== item),
    );
  }

  /** Drops the items of sessions whose data is freed. */
  sweep(): void {
    const freed = Array.from(this.#sessions.keys()).filter(({ lifecycle }) => lifecycle.freed);
    for (const session of freed) this.#sessions.delete(session);
  }

  clear(): void {
    this.#sessions.clear();
  }

  /** Memory of all items. */
  get bytes(): number {
    return this.#sessions.calculatedSize;
  }
}
