import type { Attempt } from "../../soak/agents/attempt.js";

/** The time of a server from a start to the next kill. */
export interface Life {
  killed: boolean;
  /**
   * When the last request that changes sessions and that this life answered was sent, on the clock of `performance.now()`. The
   * server stored everything that it knew before.
   */
  lastStoredAt: number;
}

export type KnownState = "active" | "ended" | "exported";

/** A session as its clients know it. */
export interface KnownSession {
  readonly id: string;
  readonly key: string;
  /** The states that it may have: two, while a client does not know what became of its request. */
  states: readonly KnownState[];
  readonly attempts: Attempt[];
  /** Rewards that were answered, by interaction. */
  readonly rewards: Map<string, number>;
}

/** Answers of the server, for comparison with its state after each restart. */
export class Ledger {
  readonly sessions = new Map<string, KnownSession>();
  /** Slots and sessions. `…Cut` counts requests whose answers were cut: the server may have done them or not. */
  readonly slots = { granted: 0, grantsCut: 0, started: 0, startsCut: 0 };
  readonly #lives = new Map<string, Life>();
  readonly #lifeOf = new WeakMap<Attempt, Life>();

  addSession(id: string, key: string): KnownSession {
    const session: KnownSession = { id, key, states: ["active"], attempts: [], rewards: new Map() };
    this.sessions.set(id, session);
    return session;
  }

  addAttempt(session: KnownSession, attempt: Attempt): void {
    session.attempts.push(attempt);
    this.#lifeOf.set(attempt, this.#currentLife(session));
    if (attempt.outcome.kind === "answered") this.noteStored(session, attempt.beganAt);
  }

  /** Notes that a request that changes this session was answered. */
  noteStored(session: KnownSession, beganAt: number): void {
    const life = this.#currentLife(session);
    life.lastStoredAt = Math.max(life.lastStoredAt, beganAt);
  }

  /** Notes a kill of the server with this tag. */
  noteKill(workerTag: string): void {
    const life = this.#lives.get(workerTag);
    if (life) life.killed = true;
    this.#lives.delete(workerTag);
  }

  /**
   * Returns false if the server was killed before it could store that an attempt was answered. It stores this with the next change
   * of any session, and the answers of such changes wait for it.
   */
  couldStoreAnswer(attempt: Attempt): boolean {
    const life = this.#lifeOf.get(attempt);
    return !life?.killed || life.lastStoredAt > attempt.endedAt;
  }

  /** Returns true if the server was not killed between the ends of two attempts. */
  isSameLife(one: Attempt, other: Attempt): boolean {
    return this.#lifeOf.get(one) === this.#lifeOf.get(other);
  }

  #currentLife({ id }: KnownSession): Life {
    // A session id is `<task>-<worker tag>-<number>`.
    const tag = id.split("-").at(-2) ?? "";
    const life = this.#lives.get(tag) ?? { killed: false, lastStoredAt: 0 };
    this.#lives.set(tag, life);
    return life;
  }
}
