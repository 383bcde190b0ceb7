import { eventLoop } from "../../support/async/event-loop.js";
import type { Session } from "../session.js";
import type { SessionRecords } from "./session-records.js";

/** Maximum time until clients retry a failed call. */
const RETRY_MS = 60_000;

/** Decides which stored sessions have their data in memory: it is read when it is needed, and freed when memory is short. */
export class LoadedSessions {
  readonly #records: SessionRecords;
  readonly #loading = new Map<Session, Promise<void>>();

  constructor(records: SessionRecords) {
    this.#records = records;
  }

  /** @throws DamagedSessionError if the stored data is damaged */
  async load(session: Session, number: number): Promise<void> {
    if (session.isLoaded || session.lifecycle.freed) return;
    const loading = this.#loading.get(session) ?? this.#load(session, number);
    this.#loading.set(session, loading);
    await loading;
  }

  async #load(session: Session, number: number): Promise<void> {
    const readSummary = () => (session.lifecycle.freed ? undefined : session.summarize());
    try {
      await this.#records.readSession(number, readSummary, (stored) => session.data.loadAsync(stored));
    } finally {
      this.#loading.delete(session);
    }
  }

  /** Frees the memory of sessions that are not in use until `isEnough` returns true, beginning with the one whose last call is the oldest. */
  async unloadIdle(sessions: Iterable<Session>, isEnough: () => boolean): Promise<void> {
    if (isEnough()) return;
    // Called when a response closes. Other listeners of that event may still use the session, so let them run first.
    await eventLoop.yield();
    const now = Date.now();
    const idle = [...sessions]
      .filter((session) => canUnload(session, now))
      .map((session) => ({ session, changes: session.data.changes }));
    idle.sort((a, b) => a.session.lastAccessAt - b.session.lastAccessAt);
    await this.#records.committed();
    for (const { session, changes } of idle) {
      if (isEnough()) return;
      // Later changes are not on disk yet, so the next call would read the session as it was before them.
      if (session.data.changes === changes && canUnload(session, now)) session.data.unload();
    }
  }
}

/** Returns true if the data of a session is not in use and may be freed. */
export function canUnload({ data, calls, lifecycle, delivery, lastAccessAt }: Session, now = Date.now()): boolean {
  const isUsed = data.isHeld || calls.size > 0 || lifecycle.exporting || delivery.awaitsAnswers;
  if (!data.isLoaded || lifecycle.freed || isUsed) return false;
  // Failed calls are not stored, so unloading would forget them: a later retry could not be matched to its first attempt.
  return !delivery.attempts.hasFailed || now - lastAccessAt > RETRY_MS;
}
