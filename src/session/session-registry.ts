import type { MessageFilter } from "../conversation/text-filter.js";
import { eventLoop } from "../support/async/event-loop.js";
import type { Steps } from "../support/async/steps.js";
import { SessionError } from "./errors.js";
import { type ExportedShard, type ExportedShards, Retention, type RetentionLimits } from "./export/retention.js";
import type { SessionState } from "./lifecycle.js";
import { Session, type SessionOptions } from "./session.js";
import { SessionEvents } from "./session-events.js";
import { hashText, newSessionKey } from "./session-keys.js";
import type { ByteTally } from "./session-size.js";
import type { SessionRecords, StoredHead } from "./stored/session-records.js";
import { ToolLists } from "./tool-lists.js";
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
  /** Where sessions are stored. Absent: sessions end with the process. */
  readonly records?: SessionRecords | undefined;
  /** The key of all message digests, 16 bytes. Default: the key of this process. */
  readonly digestKey?: Uint8Array | undefined;
}

export interface NewSessionOptions {
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
  /** Lease of the rollout job that starts the session. */
  readonly leaseId?: string | undefined;
  /** A session key chosen by the caller. Default: a random key. */
  readonly apiKey?: string | undefined;
}

/** The leases of a session before and after it is taken over. */
export interface TakeoverLeases {
  /** The lease that the session must have, unless an earlier call already gave it the new one. Undefined: any lease or none. */
  readonly fromLeaseId?: string | undefined;
  /** Its new lease. Undefined: it keeps its lease. */
  readonly leaseId?: string | undefined;
}

/** The part of a registry that survives the process, besides its sessions. */
export interface RegistryState {
  readonly nextNumber: number;
  readonly capacity: number;
}

/** Name of the state in the storage. */
export const STATE = "registry";
const MIN_KEY_LENGTH = 16;
/** Maximum number of sessions without data that are remembered, so that calls get 410 instead of 404. */
const MAX_TOMBSTONES = 100_000;
/** Number of these sessions that are remembered even if the heap is full. Each takes some kilobytes. */
const MIN_TOMBSTONES = 1000;

/** A session of the registry. */
interface Entry {
  readonly session: Session;
  /** The number under which it is stored. */
  readonly number: number;
  /** Hash of its key; undefined if the key was revoked. */
  keyHash: string | undefined;
  /** Resolves when its data was read from disk; undefined while it is not being read. */
  waking: Promise<void> | undefined;
}

/** All sessions of one server: capacity, ids, keys, expiry, retention. */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #adminHash: string;
  readonly #entries = new Map<string, Entry>();
  readonly #byKeyHash = new Map<string, Entry>();
  readonly #byNumber = new Map<number, Entry>();
  readonly events = new SessionEvents();
  /** Number of the next session to start. */
  #nextNumber = 0;
  readonly #retention: Retention;
  readonly #tally: ByteTally = { bytes: 0 };
  readonly #toolLists = new ToolLists(this.#tally);
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
    this.#saveState();
    return this.#capacity;
  }

  /** Starts a session, which takes one slot. Returns the session and its key. */
  start({ taskId = "task", groupId, leaseId, apiKey }: NewSessionOptions): { session: Session; key: string } {
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
    const number = this.#nextNumber++;
    const entry = this.#add(number, { id: `${prefix}-${number}`, taskId, groupId, leaseId });
    this.#capacity--;
    this.#saveState();
    this.#bindKey(entry, hashText(key));
    return { session: entry.session, key };
  }

  /**
   * Gives an active session to another run of its agent, with a new key. Revokes the former key and aborts the calls in flight. Recorded
   * answers stay.
   *
   * @returns the new key
   * @throws SessionError `session_not_found` if it has another lease; `session_ended`, `session_exported` or `session_expired`
   */
  async takeOver(id: string, { fromLeaseId, leaseId }: TakeoverLeases): Promise<string> {
    const isRepeated = leaseId !== undefined && this.get(id).leaseId === leaseId;
    const session = this.getOfLease(id, isRepeated ? leaseId : fromLeaseId);
    session.requireTokens();
    if (session.state !== "active") {
      throw new SessionError("session_ended", `Session ${id} is ${session.state} and cannot be taken over.`);
    }
    const key = newSessionKey(this.#options.workerTag);
    const entry = this.#require(id);
    this.#revokeKey(entry);
    session.takeOver(leaseId ?? session.leaseId);
    this.#bindKey(entry, hashText(key));
    await session.calls.abortAll(new SessionError("call_aborted", `Session ${id} was taken over.`));
    return key;
  }

  /** Removes a session that was just started, and frees its slot. */
  cancelStart(session: Session): void {
    const entry = this.#require(session.id);
    this.#revokeKey(entry);
    session.free("expired");
    this.#remove(entry);
    this.#capacity++;
    this.#saveState();
  }

  /**
   * Restores the sessions of an earlier process with the same storage. Their data stays on disk until {@link wake}. Each session
   * counts as called now, so that none expires because no process ran.
   */
  restore(): void {
    const { records } = this.#options;
    if (!records) return;
    const state = records.readValue(STATE) as RegistryState | undefined;
    this.#nextNumber = state?.nextNumber ?? 0;
    this.#capacity = state?.capacity ?? 0;
    const retained: { session: Session; exported: ExportedShards }[] = [];
    for (const { number, head } of records.readHeads()) {
      const { summary, keyHash, exported } = head;
      const { id, taskId, groupId, leaseId } = summary;
      const entry = this.#add(number, { id, taskId, groupId, leaseId, summary });
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
      if (keyHash === this.#adminHash) {
        const message = `The admin key is the key of the stored session ${id}, whose agent would get all rights. Use another admin key.`;
        throw new SessionError("invalid_value", message);
      }
      if (keyHash !== undefined) this.#indexKey(entry, keyHash);
      if (exported) retained.push({ session: entry.session, exported });
    }
    records.restoreTools((number) => this.byNumber(number)?.lifecycle.freed === false);
    // Retention frees sessions in the order in which it received them.
    retained.sort((a, b) => a.exported.since - b.exported.since);
    for (const { session, exported } of retained) this.#retention.restore(session, exported);
  }

  /**
   * Reads the data of a session from disk, if it is not in memory.
   *
   * @throws DamagedSessionError if the stored data is damaged
   */
  async wake(session: Session): Promise<void> {
    if (session.isLoaded || session.lifecycle.freed) return;
    const entry = this.#find(session);
    if (!entry) return;
    entry.waking ??= this.#load(entry).finally(() => (entry.waking = undefined));
    await entry.waking;
  }

  /** Returns the session with this number; undefined if there is none. The number is the last part of a session id. */
  byNumber(number: number): Session | undefined {
    return this.#byNumber.get(number)?.session;
  }

  /** Returns the number of a session; undefined if the registry does not have it. */
  numberOf(session: Session): number | undefined {
    return this.#find(session)?.number;
  }

  /**
   * Stores the response of an interaction (Responses API), if sessions are stored.
   *
   * @param encode returns the response as text, or as the pieces of a long text; not called if sessions are not stored
   * @returns resolves when a long text was written; undefined if there is nothing to wait for
   */
  saveResponse(session: Session, index: number, encode: () => string | Iterable<string>): Promise<void> | undefined {
    const { records } = this.#options;
    const number = this.numberOf(session);
    if (number === undefined || !records) return undefined;
    return records.saveResponse(number, index, encode(), () => !session.lifecycle.freed);
  }

  /** Returns the UTF-8 of the text that {@link saveResponse} stored; undefined if there is none. */
  *readResponse(session: Session, index: number): Steps<Buffer | undefined> {
    const { records } = this.#options;
    const number = this.numberOf(session);
    return number === undefined || !records ? undefined : yield* records.readResponse(session.id, number, index);
  }

  /**
   * Resolves when an answer may be sent: at once if sessions are not stored, otherwise see {@link SessionRecords.flushed}.
   *
   * @param session the only session whose changes matter; default: all changes
   */
  async flushed(session?: Session): Promise<void> {
    await this.#options.records?.flushed(session && this.numberOf(session));
  }

  /**
   * Frees the memory of sessions that are not in use until `isEnough` returns true, beginning with the session whose last call is
   * the oldest. Their data stays on disk.
   */
  async unloadIdle(isEnough: () => boolean): Promise<void> {
    const { records } = this.#options;
    if (!records || isEnough()) return;
    // Called when a response closes. Other listeners of that event may still use the session, so let them run first.
    await eventLoop.yield();
    const now = Date.now();
    const idle = [...this.all()]
      .filter((session) => session.canUnload(now))
      .map((session) => ({ session, changes: session.dataChanges }));
    idle.sort((a, b) => a.session.lastAccessAt - b.session.lastAccessAt);
    await records.committed();
    for (const { session, changes } of idle) {
      if (isEnough()) return;
      // Later changes are not on disk yet, so the next call would read the session as it was before them.
      if (session.dataChanges === changes && session.canUnload(now)) session.unload();
    }
  }

  /** @param hash the {@link hashText} of a session key */
  byKeyHash(hash: string): Session | undefined {
    return this.#byKeyHash.get(hash)?.session;
  }

  get(id: string): Session {
    return this.#require(id).session;
  }

  /** @throws SessionError `session_not_found` if there is no such session, or it has another lease */
  getOfLease(id: string, leaseId: string | undefined): Session {
    const session = this.get(id);
    if (leaseId === undefined || session.leaseId === leaseId) return session;
    throw new SessionError("session_not_found", `Session "${id}" does not belong to lease "${leaseId}".`);
  }

  *all(): Generator<Session> {
    for (const { session } of this.#entries.values()) yield session;
  }

  countByState(): Record<SessionState, number> {
    const counts = { active: 0, ended: 0, exported: 0, expired: 0 };
    for (const { session } of this.#entries.values()) counts[session.state]++;
    return counts;
  }

  /** Seals sessions after a successful export: revokes their keys and keeps their tokens under the retention limits. */
  seal(sessions: readonly Session[], part?: ExportedShard): void {
    this.revokeKeys(sessions);
    this.#retention.keep(sessions, part);
    for (const session of sessions) this.#saveHead(this.#find(session));
  }

  /** Revokes the keys of sessions whose export must still be acknowledged. */
  revokeKeys(sessions: readonly Session[]): void {
    for (const session of sessions) this.#revokeKey(this.#find(session));
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
    const before = this.#entries.size;
    this.#removeOldestFreed(MIN_TOMBSTONES);
    return this.#entries.size < before;
  }

  /**
   * Deletes a session without an export: revokes its key, aborts its calls in flight, frees its data and removes it.
   * Waits for an export of the session that is being packed.
   */
  async delete(id: string): Promise<void> {
    const entry = this.#require(id);
    const { session } = entry;
    this.#revokeKey(entry);
    session.end("deleted");
    await session.calls.abortAll(new SessionError("call_aborted", `Session ${id} was deleted.`));
    while (session.lifecycle.exporting) await session.lifecycle.waitSettled();
    this.#retention.forget(session);
    if (!session.lifecycle.freed) session.free("expired");
    this.#remove(entry);
  }

  /** Frees sessions that timed out. Call it periodically. */
  sweep(now = Date.now()): void {
    for (const entry of this.#entries.values()) {
      const { session } = entry;
      const canExpire = session.state === "active" || session.state === "ended";
      if (!canExpire || session.calls.size > 0 || session.lifecycle.exporting) continue;
      if (now - session.lastAccessAt < this.#options.timeoutMilliseconds) continue;
      this.#revokeKey(entry);
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
    if (this.byKeyHash(hash)?.state === "active") {
      throw new SessionError("api_key_in_use", "api_key is already used by an active session.", { param: "api_key" });
    }
  }

  /** @throws SessionError `session_not_found` */
  #require(id: string): Entry {
    const entry = this.#entries.get(id);
    if (!entry) throw new SessionError("session_not_found", `There is no session "${id.slice(0, 200)}".`);
    return entry;
  }

  /** Returns the entry of a session; undefined if the registry does not have the session any more. */
  #find(session: Session): Entry | undefined {
    const entry = this.#entries.get(session.id);
    return entry?.session === session ? entry : undefined;
  }

  async #load({ session, number }: Entry): Promise<void> {
    const { records } = this.#options;
    const readSummary = () => (session.lifecycle.freed ? undefined : session.summarize());
    await records?.readSession(number, readSummary, (stored) => session.loadAsync(stored));
  }

  #add(number: number, options: Pick<SessionOptions, "id" | "taskId" | "groupId" | "leaseId" | "summary">): Entry {
    const { records, digestKey, messageFilters = [] } = this.#options;
    const session: Session = new Session({
      ...options,
      messageFilters,
      events: this.events,
      tally: this.#tally,
      toolLists: this.#toolLists,
      journal: records?.journal(number, () => this.#readHead(entry)),
      digestKey,
    });
    const entry: Entry = { session, number, keyHash: undefined, waking: undefined };
    this.#entries.set(session.id, entry);
    this.#byNumber.set(number, entry);
    return entry;
  }

  #remove({ session, number }: Entry): void {
    this.#entries.delete(session.id);
    this.#byNumber.delete(number);
    this.#options.records?.remove(number);
  }

  #readHead({ session, keyHash }: Entry): StoredHead {
    return { summary: session.summarize(), keyHash, exported: this.#retention.describe(session) };
  }

  /** @param entry undefined: the session was removed */
  #saveHead(entry: Entry | undefined): void {
    if (entry) this.#options.records?.saveHead(entry.number, () => this.#readHead(entry));
  }

  #saveState(): void {
    const state: RegistryState = { nextNumber: this.#nextNumber, capacity: this.#capacity };
    this.#options.records?.saveValue(STATE, state);
  }

  #bindKey(entry: Entry, hash: string): void {
    const previous = this.#byKeyHash.get(hash);
    this.#indexKey(entry, hash);
    this.#saveHead(entry);
    // Its stored head still has the key, which would be valid again after a restart once the new session loses it.
    if (previous) this.#saveHead(previous);
  }

  #indexKey(entry: Entry, hash: string): void {
    const previous = this.#byKeyHash.get(hash);
    // Without this, sealing the previous session would revoke the key of the new one.
    if (previous) previous.keyHash = undefined;
    this.#byKeyHash.set(hash, entry);
    entry.keyHash = hash;
  }

  /** @param entry undefined: the session was removed */
  #revokeKey(entry: Entry | undefined): void {
    if (entry?.keyHash === undefined) return;
    this.#byKeyHash.delete(entry.keyHash);
    entry.keyHash = undefined;
    this.#saveHead(entry);
  }

  /** Removes the oldest sessions without data until at most `most` sessions are left, or only sessions with data. */
  #removeOldestFreed(most: number): void {
    if (this.#entries.size <= most) return;
    for (const entry of this.#entries.values()) {
      if (entry.session.lifecycle.freed) this.#remove(entry);
      if (this.#entries.size <= most) return;
    }
  }
}
