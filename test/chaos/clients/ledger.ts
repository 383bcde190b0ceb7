import type { Attempt } from "../../soak/agents/attempt.js";

/** One process of a server, from its start to its kill. */
export interface ServerProcess {
  killed: boolean;
  /**
   * When the newest change of a session that this process answered was requested, on the clock of `performance.now()`. Everything
   * that the process knew at that time is stored.
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
  /** Slots and sessions. `…Cut` counts requests whose answers were cut: the server may have executed them or not. */
  readonly slots = { granted: 0, grantsCut: 0, started: 0, startsCut: 0 };
  readonly #running = new Map<string, ServerProcess>();
  readonly #processOf = new WeakMap<Attempt, ServerProcess>();

  addSession(id: string, key: string): KnownSession {
    const session: KnownSession = { id, key, states: ["active"], attempts: [], rewards: new Map() };
    this.sessions.set(id, session);
    return session;
  }

  addAttempt(session: KnownSession, attempt: Attempt): void {
    session.attempts.push(attempt);
    this.#processOf.set(attempt, this.#currentProcess(session));
    if (attempt.outcome.kind === "answered") this.noteStored(session, attempt.beganAt);
  }

  /** Notes that a request that changes this session was answered. */
  noteStored(session: KnownSession, beganAt: number): void {
    const server = this.#currentProcess(session);
    server.lastStoredAt = Math.max(server.lastStoredAt, beganAt);
  }

  /** Notes a kill of the server with this tag. */
  noteKill(workerTag: string): void {
    const server = this.#running.get(workerTag);
    if (server) server.killed = true;
    this.#running.delete(workerTag);
  }

  /**
   * Returns false if the server was killed before it could store that an attempt was answered. It stores this with the next change
   * of any session, and the answers of such changes wait for it.
   */
  couldStoreAnswer(attempt: Attempt): boolean {
    const server = this.#processOf.get(attempt);
    return !server?.killed || server.lastStoredAt > attempt.endedAt;
  }

  /** Returns true if the server was not killed between the ends of two attempts. */
  isSameProcess(one: Attempt, other: Attempt): boolean {
    return this.#processOf.get(one) === this.#processOf.get(other);
  }

  #currentProcess({ id }: KnownSession): ServerProcess {
    // A session id is `<task>-<worker tag>-<number>`.
    const tag = id.split("-").at(-2) ?? "";
    const server = this.#running.get(tag) ?? { killed: false, lastStoredAt: 0 };
    this.#running.set(tag, server);
    return server;
  }
}
