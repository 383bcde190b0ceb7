import type { MessageFilter } from "../conversation/text-filter.js";
import { SessionError } from "./errors.js";
import type { SessionState } from "./lifecycle.js";
import { type ExportedShard, Retention, type RetentionLimits } from "./retention.js";
import { Session } from "./session.js";
import { SessionEvents } from "./session-events.js";
import { hashText, newSessionKey } from "./session-keys.js";
import type { ByteTally } from "./session-size.js";
import { readKeyTag } from "./worker-tag.js";

export interface RegistryOptions {
  readonly adminKey: string;
  /** A session expires after this time without a call. */
  readonly timeoutMilliseconds: number;
  readonly retention: RetentionLimits;
  /** Part of every session key and session id. It makes them unique among servers and across restarts. */
  readonly workerTag?: string | undefined;
  /** Rejects keys chosen by the caller that lack the tag, because a gateway could not find their worker. */
  readonly taggedKeysOnly?: boolean;
  readonly messageFilters?: readonly MessageFilter[];
}

export interface StartOptions {
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
  /** A session key chosen by the caller. Default: a random key. */
  readonly apiKey?: string | undefined;
}

const MIN_KEY_LENGTH = 16;
/** Maximum number of sessions without data that are remembered, so that calls get 410 instead of 404. */
const MAX_TOMBSTONES = 100_000;
/** Number of these sessions that are remembered even if the heap is full. Each takes some kilobytes. */
const MIN_TOMBSTONES = 1000;

/** All sessions of one server: capacity, ids, keys, expiry, retention. */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #adminHash: string;
  readonly #sessions = new Map<string, Session>();
  readonly #sessionsByKeyHash = new Map<string, Session>();
  readonly #keyHashes = new Map<Session, string>();
  readonly events = new SessionEvents();
  #nextNumber = 0;
  readonly #retention: Retention;
  readonly #tally: ByteTally = { bytes: 0 };
  #capacity = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#adminHash = hashText(options.adminKey);
    this.#retention = new Retention(options.retention);
  }

  get workerTag(): string | undefined {
    return this.#options.workerTag;
  }

  /** Memory of all sessions, native and in JavaScript, in bytes. */
  get bytes(): number {
    return this.#tally.bytes;
  }

  /** Number of free slots. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Adds slots. Returns the number of free slots. */
  grant(slots: number): number {
    this.#capacity += slots;
    return this.#capacity;
  }

  /** Starts a session, which takes one slot. Returns the session and its key. */
  start({ taskId = "task", groupId, apiKey }: StartOptions): { session: Session; key: string } {
    if (apiKey !== undefined) this.#checkKey(apiKey);
    if (this.#capacity <= 0) {
      throw new SessionError(
        "no_capacity",
        "No capacity is left. Add slots with POST /grant_capacity, or try again later.",
      );
    }
    const { workerTag } = this.#options;
    const key = apiKey ?? newSessionKey(workerTag);
    const prefix = workerTag === undefined ? taskId : `${taskId}-${workerTag}`;
    const session = new Session({
      id: `${prefix}-${this.#nextNumber++}`,
      taskId,
      groupId,
      messageFilters: this.#options.messageFilters ?? [],
      events: this.events,
      tally: this.#tally,
    });
    this.#capacity--;
    this.#sessions.set(session.id, session);
    this.#bindKey(session, key);
    return { session, key };
  }

  /** @param hash the {@link hashText} of a session key */
  byKeyHash(hash: string): Session | undefined {
    return this.#sessionsByKeyHash.get(hash);
  }

  get(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new SessionError("session_not_found", `There is no session "${id.slice(0, 200)}".`);
    return session;
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  countByState(): Record<SessionState, number> {
    const counts = { active: 0, ended: 0, exported: 0, expired: 0 };
    for (const session of this.#sessions.values()) counts[session.state]++;
    return counts;
  }

  /** Seals sessions after a successful export: revokes their keys and keeps their tokens under the retention limits. */
  seal(sessions: readonly Session[], part?: ExportedShard): void {
    this.revokeKeys(sessions);
    this.#retention.keep(sessions, part);
  }

  /** Revokes the keys of sessions whose export must still be acknowledged. */
  revokeKeys(sessions: readonly Session[]): void {
    for (const session of sessions) this.#revokeKey(session);
  }

  /**
   * Frees exported sessions before their retention is over, oldest first, until `isEnough` returns true or none is left. Keeps
   * sessions with shards that are still to be exported.
   */
  freeRetained(isEnough: () => boolean): void {
    this.#retention.freeUntil(isEnough);
  }

  /** Forgets the oldest sessions without data. Returns true if there were any. */
  forgetFreed(): boolean {
    const before = this.#sessions.size;
    this.#removeOldestFreed(MIN_TOMBSTONES);
    return this.#sessions.size < before;
  }

  /**
   * Deletes a session without an export: revokes its key, aborts its calls in flight, frees its data and removes it.
   * Waits for an export of the session that is being packed.
   */
  async delete(id: string): Promise<void> {
    const session = this.get(id);
    this.#revokeKey(session);
    session.end("deleted");
    await session.calls.abortAll(new SessionError("call_aborted", `Session ${id} was deleted.`));
    while (session.lifecycle.exporting) await session.lifecycle.waitSettled();
    this.#retention.forget(session);
    if (!session.lifecycle.freed) session.free("expired");
    this.#sessions.delete(id);
  }

  /** Frees sessions that timed out. Call it periodically. */
  sweep(now = Date.now()): void {
    for (const session of this.#sessions.values()) {
      const canExpire = session.state === "active" || session.state === "ended";
      if (!canExpire || session.calls.size > 0 || session.lifecycle.exporting) continue;
      if (now - session.lastAccessAt < this.#options.timeoutMilliseconds) continue;
      this.#revokeKey(session);
      session.free("expired");
    }
    this.#retention.sweep(now);
    this.#removeOldestFreed(MAX_TOMBSTONES);
  }

  #checkKey(key: string): void {
    if (key.length < MIN_KEY_LENGTH) {
      const message = `api_key must have at least ${MIN_KEY_LENGTH} characters; received ${key.length}.`;
      throw new SessionError("invalid_value", message, { param: "api_key" });
    }
    const { workerTag, taggedKeysOnly } = this.#options;
    if (taggedKeysOnly && workerTag !== undefined && readKeyTag(key) !== workerTag) {
      const message =
        `api_key must be \`sk-${workerTag}.\` followed by at least 16 characters; received a key without that tag. ` +
        "The gateway in front of this server uses the tag to find the server of a key.";
      throw new SessionError("invalid_value", message, { param: "api_key" });
    }
    const hash = hashText(key);
    if (hash === this.#adminHash) {
      throw new SessionError("invalid_value", "api_key must not be the admin key.", { param: "api_key" });
    }
    if (this.#sessionsByKeyHash.get(hash)?.state === "active") {
      throw new SessionError("api_key_in_use", "api_key is already used by an active session.", { param: "api_key" });
    }
  }

  #bindKey(session: Session, key: string): void {
    const hash = hashText(key);
    const previous = this.#sessionsByKeyHash.get(hash);
    // Without this, sealing the previous session would revoke the key of the new one.
    if (previous) this.#keyHashes.delete(previous);
    this.#sessionsByKeyHash.set(hash, session);
    this.#keyHashes.set(session, hash);
  }

  #revokeKey(session: Session): void {
    const hash = this.#keyHashes.get(session);
    if (hash === undefined) return;
    this.#keyHashes.delete(session);
    this.#sessionsByKeyHash.delete(hash);
  }

  /** Removes the oldest sessions without data until at most `most` sessions are left, or only sessions with data. */
  #removeOldestFreed(most: number): void {
    if (this.#sessions.size <= most) return;
    for (const [id, session] of this.#sessions) {
      if (session.lifecycle.freed) this.#sessions.delete(id);
      if (this.#sessions.size <= most) return;
    }
  }
}
