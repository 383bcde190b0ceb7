import { SessionError } from "./errors.js";
import { hashKey, newSessionKey } from "./keys.js";
import type { SessionState } from "./lifecycle.js";
import { type ExportedShard, Retention, type RetentionLimits } from "./retention.js";
import { Session } from "./session.js";
import { SessionEvents } from "./session-events.js";
import { workerOfKey } from "./worker-tag.js";

export interface RegistryOptions {
  readonly adminKey: string;
  /** A session that sees no call for this long expires. */
  readonly timeoutMilliseconds: number;
  readonly retention: RetentionLimits;
  /** Carried by session keys and session ids: no other server, and no earlier life of this one, hands out the same. */
  readonly workerTag?: string | undefined;
  /** Reject keys of the caller's choice that do not carry the tag: a gateway could not find their worker. */
  readonly taggedKeysOnly?: boolean;
  readonly messageFilters?: readonly RegExp[];
}

export interface StartOptions {
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
  /** Binds a key of the caller's choice. */
  readonly apiKey?: string | undefined;
}

const MIN_KEY_LENGTH = 16;
/** Records of sessions whose data is gone, kept to answer 410 instead of 404. */
const MAX_TOMBSTONES = 100_000;

/** All sessions of one server: capacity, ids, keys, expiry, retention. */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #adminHash: string;
  readonly #sessions = new Map<string, Session>();
  readonly #sessionOf = new Map<string, Session>();
  readonly #keyHashOf = new Map<Session, string>();
  readonly events = new SessionEvents();
  #nextNumber = 0;
  readonly #retention: Retention;
  #capacity = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#adminHash = hashKey(options.adminKey);
    this.#retention = new Retention(options.retention);
  }

  get workerTag(): string | undefined {
    return this.#options.workerTag;
  }

  /** Free slots. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Adds slots; answers how many are free. */
  grant(slots: number): number {
    this.#capacity += slots;
    return this.#capacity;
  }

  /** Starts a session with a slot of the capacity; answers it and its key. */
  start({ taskId = "task", groupId, apiKey }: StartOptions): { session: Session; key: string } {
    if (apiKey !== undefined) this.#checkKey(apiKey);
    if (this.#capacity <= 0) {
      throw new SessionError("no_capacity", "No capacity is granted. POST /grant_capacity first, or try again later.");
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
    });
    this.#capacity--;
    this.#sessions.set(session.id, session);
    this.#bindKey(session, key);
    return { session, key };
  }

  /** @param hash of its key, as {@link hashKey} makes it */
  byKeyHash(hash: string): Session | undefined {
    return this.#sessionOf.get(hash);
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

  /** The export of these sessions came about: keys are revoked, tokens are kept under the retention limits. */
  seal(sessions: readonly Session[], part?: ExportedShard): void {
    for (const session of sessions) this.#revokeKey(session);
    this.#retention.keep(sessions, part);
  }

  /**
   * Frees a session that no one will export: its key is revoked, its calls in flight are aborted, and it is forgotten.
   * Resolves when that is done; an export of it that is being packed ends first.
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

  /** Frees what timed out. Called now and then. */
  sweep(now = Date.now()): void {
    for (const session of this.#sessions.values()) {
      const waiting = session.state === "active" || session.state === "ended";
      if (!waiting || session.calls.size > 0 || session.lifecycle.exporting) continue;
      if (now - session.lastAccessAt < this.#options.timeoutMilliseconds) continue;
      this.#revokeKey(session);
      session.free("expired");
    }
    this.#retention.sweep(now);
    this.#buryOldest();
  }

  #checkKey(key: string): void {
    if (key.length < MIN_KEY_LENGTH) {
      throw new SessionError("invalid_value", `api_key must have at least ${MIN_KEY_LENGTH} characters.`, {
        param: "api_key",
      });
    }
    const { workerTag, taggedKeysOnly } = this.#options;
    if (taggedKeysOnly && workerTag !== undefined && workerOfKey(key) !== workerTag) {
      const message =
        `api_key must be \`sk-${workerTag}.\` and 16 or more characters, because this server is behind a gateway, which ` +
        "finds a key's server by the tag; received a key without that tag.";
      throw new SessionError("invalid_value", message, { param: "api_key" });
    }
    const hash = hashKey(key);
    if (hash === this.#adminHash) {
      throw new SessionError("invalid_value", "api_key must not be the admin key.", { param: "api_key" });
    }
    if (this.#sessionOf.get(hash)?.state === "active") {
      throw new SessionError("api_key_in_use", "api_key is bound to an active session.", { param: "api_key" });
    }
  }

  #bindKey(session: Session, key: string): void {
    const hash = hashKey(key);
    const previous = this.#sessionOf.get(hash);
    if (previous) this.#keyHashOf.delete(previous);
    this.#sessionOf.set(hash, session);
    this.#keyHashOf.set(session, hash);
  }

  #revokeKey(session: Session): void {
    const hash = this.#keyHashOf.get(session);
    if (hash === undefined) return;
    this.#keyHashOf.delete(session);
    this.#sessionOf.delete(hash);
  }

  #buryOldest(): void {
    if (this.#sessions.size <= MAX_TOMBSTONES) return;
    for (const [id, session] of this.#sessions) {
      if (session.lifecycle.freed) this.#sessions.delete(id);
      if (this.#sessions.size <= MAX_TOMBSTONES) return;
    }
  }
}
