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

export interface MemorySlotOptions<T> {
  /** Returns the memory of an item, in bytes. */
  readonly measure: (item: T) => number;
  /** Frees memory of an item that is kept no longer. Requests that share parts with it may still run. */
  readonly free?: (item: T) => void;
  /** Called when the items of a session have changed. */
  readonly onChange: (session: Session) => void;
}

interface Items<T> {
  readonly all: readonly T[];
  readonly bytes: number;
}

const NONE: Items<never> = { all: [], bytes: 0 };

/** The items that one step of a call remembers of the newest requests of each session. */
export class MemorySlot<T extends object> {
  readonly #options: MemorySlotOptions<T>;
  readonly #sessions = new Map<Session, Items<T>>();
  #bytes = 0;

  constructor(options: MemorySlotOptions<T>) {
    this.#options = options;
  }

  /** Memory of the items of all sessions. */
  get bytes(): number {
    return this.#bytes;
  }

  forSession(session: Session): RecentItems<T> {
    return {
      items: this.#of(session).all,
      add: (item, replaced) => this.#add(session, item, replaced),
      take: (item) => this.#take(session, item),
    };
  }

  /** Returns the memory of a session's items. */
  measure(session: Session): number {
    return this.#of(session).bytes;
  }

  #of(session: Session): Items<T> {
    return this.#sessions.get(session) ?? NONE;
  }

  #add(session: Session, item: T, replaced: T | undefined): void {
    if (session.lifecycle.freed) return;
    const { all } = this.#of(session);
    const kept = [item, ...all.filter((each) => each !== replaced)].slice(0, PER_SESSION);
    this.#set(session, kept);
    for (const each of all) if (!kept.includes(each)) this.#options.free?.(each);
    this.#options.onChange(session);
  }

  #take(session: Session, item: T): void {
    this.#set(
      session,
      this.#of(session).all.filter((each) => each !== item),
    );
    this.#options.onChange(session);
  }

  /** Drops the oldest item of a session. Does not call `onChange`. @returns false if it has none */
  dropOldest(session: Session): boolean {
    const { all } = this.#of(session);
    const oldest = all.at(-1);
    if (!oldest) return false;
    this.#set(session, all.slice(0, -1));
    this.#options.free?.(oldest);
    return true;
  }

  /** Drops all items of a session. Does not call `onChange`. */
  drop(session: Session): void {
    while (this.dropOldest(session));
  }

  #set(session: Session, all: readonly T[]): void {
    const bytes = all.reduce((sum, item) => sum + this.#options.measure(item), 0);
    this.#bytes += bytes - this.#of(session).bytes;
    if (all.length > 0) this.#sessions.set(session, { all, bytes });
    else this.#sessions.delete(session);
  }
}
