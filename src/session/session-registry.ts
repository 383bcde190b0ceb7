import type { MessageFilter } from "../conversation/text-filter.js";
import { SessionError } from "./errors.js";
import { type ExportedShard, type ExportedShards, Retention, type RetentionLimits } from "./export/retention.js";
import type { SessionState } from "./lifecycle.js";
import { RunKeys, type RunStart } from "./run-keys.js";
import { Session, type SessionOptions } from "./session.js";
import { SessionEvents } from "./session-events.js";
import { ImagePool } from "./session-images.js";
import { newSessionKey, SessionKeys, type SessionKeysOptions } from "./session-keys.js";
import type { ByteTally } from "./session-size.js";
import { readStart, type SessionStart } from "./session-summary.js";
import { LoadedSessions } from "./stored/loaded-sessions.js";
import type { SessionRecords, StoredHead } from "./stored/session-records.js";
import { ToolLists } from "./tool-lists.js";

export interface RegistryOptions extends SessionKeysOptions {
  /** A session expires after this time without a call. */
  readonly timeoutMilliseconds: number;
  readonly retention: RetentionLimits;
  readonly messageFilters?: readonly MessageFilter[];
  /** Where sessions are stored. Absent: sessions end with the process. */
  readonly records?: SessionRecords | undefined;
  /** The key of all message digests, 16 bytes. Default: the key of this process. */
  readonly digestKey?: Uint8Array | undefined;
}

export interface NewSessionOptions extends Omit<SessionStart, "taskId"> {
  /** Default: `task`. */
  readonly taskId?: string | undefined;
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
/** Maximum number of sessions without data that are remembered, so that calls get 410 instead of 404. */
const MAX_TOMBSTONES = 100_000;
/** Number of these sessions that are remembered even if the heap is full. Each takes some kilobytes. */
const MIN_TOMBSTONES = 1000;

/** All sessions of one server: capacity, ids, keys, expiry, retention. */
export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #keys: SessionKeys;
  readonly #loaded: LoadedSessions | undefined;
  readonly #byId = new Map<string, Session>();
  readonly #byNumber = new Map<number, Session>();
  /** The sessions of runs by run and name. */
  readonly #byRun = new Map<string, Session>();
  readonly runKeys: RunKeys;
  readonly events = new SessionEvents();
  /** Number of the next session to start. */
  #nextNumber = 0;
  readonly #retention: Retention;
  readonly #tally: ByteTally = { bytes: 0 };
  readonly #toolLists = new ToolLists(this.#tally);
  readonly #imagePool = new ImagePool(this.#tally);
  #capacity = 0;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#keys = new SessionKeys(options);
    this.runKeys = new RunKeys(options.adminKey, options.records);
    this.#loaded = options.records && new LoadedSessions(options.records);
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
  start({ taskId = "task", leaseId, apiKey, ...start }: NewSessionOptions): { session: Session; key: string } {
    if (apiKey !== undefined) this.#keys.check(apiKey);
    const session = this.#start({ ...start, taskId, leaseId });
    const key = apiKey ?? newSessionKey(this.#options.workerTag);
    this.#bindKey(session, key);
    return { session, key };
  }

  /** Starts a session of a run, which takes one slot. Calls reach it with the key of the run, and it has no key of its own. */
  startInRun(run: RunStart, xSessionId: string): Session {
    const session = this.#start({ ...readStart(run), xSessionId });
    this.#saveHead(session);
    return session;
  }

  #start({ taskId, ...start }: SessionStart & Pick<SessionOptions, "leaseId">): Session {
    if (this.#capacity <= 0) {
      throw new SessionError(
        "no_capacity",
        "No capacity is left. Add slots with POST /grant_capacity, or try again later.",
      );
    }
    const { workerTag } = this.#options;
    const prefix = workerTag === undefined ? taskId : `${taskId}-${workerTag}`;
    const number = this.#nextNumber++;
    const session = this.#add(number, { ...start, id: `${prefix}-${number}`, taskId });
    this.#capacity--;
    this.#saveState();
    return session;
  }

  /** Returns the session of a run with this name; undefined if it was not started, or was removed. */
  findInRun({ runId }: RunStart, xSessionId: string): Session | undefined {
    return this.#byRun.get(nameInRun(runId, xSessionId));
  }

  /** Returns the sessions of a run that can be exported now or once they have ended, in the order in which they were started. */
  listRun(runId: string): Session[] {
    return [...this.all()].filter(
      (session) => session.runId === runId && !session.lifecycle.freed && !session.lifecycle.acknowledged,
    );
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
    this.#revokeKey(session);
    session.takeOver(leaseId ?? session.leaseId);
    this.#bindKey(session, key);
    await session.calls.abortAll(new SessionError("call_aborted", `Session ${id} was taken over.`));
    return key;
  }

  /** Removes a session that was just started, and frees its slot. */
  cancelStart({ id }: Session): void {
    const session = this.get(id);
    this.#revokeKey(session);
    session.free("expired");
    this.#remove(session);
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
      const { summary, keyHash, exported, archived } = head;
      const { id, leaseId } = summary;
      const session = this.#add(number, { ...readStart(summary), id, leaseId, summary, archived });
      this.#nextNumber = Math.max(this.#nextNumber, number + 1);
      if (keyHash !== undefined) this.#keys.restore(session, keyHash);
      if (exported) retained.push({ session, exported });
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
    const number = this.numberOf(session);
    if (number !== undefined) await this.#loaded?.load(session, number);
  }

  /** Returns the session with this number; undefined if there is none. The number is the last part of a session id. */
  byNumber(number: number): Session | undefined {
    return this.#byNumber.get(number);
  }

  /** Returns the number of a session; undefined if the registry does not have it. */
  numberOf(session: Session): number | undefined {
    return this.#byId.get(session.id) === session ? session.number : undefined;
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
    await this.#loaded?.unloadIdle(this.all(), isEnough);
  }

  /** @param hash the {@link hashText} of a session key */
  byKeyHash(hash: string): Session | undefined {
    return this.#keys.find(hash);
  }

  /** @throws SessionError `session_not_found` */
  get(id: string): Session {
    const session = this.#byId.get(id);
    if (!session) throw new SessionError("session_not_found", `There is no session "${id.slice(0, 200)}".`);
    return session;
  }

  /** @throws SessionError `session_not_found` if there is no such session, or it has another lease */
  getOfLease(id: string, leaseId: string | undefined): Session {
    const session = this.get(id);
    if (leaseId === undefined || session.leaseId === leaseId) return session;
    throw new SessionError("session_not_found", `Session "${id}" does not belong to lease "${leaseId}".`);
  }

  all(): Iterable<Session> {
    return this.#byId.values();
  }

  countByState(): Record<SessionState, number> {
    const counts = { active: 0, ended: 0, exported: 0, expired: 0 };
    for (const { state } of this.all()) counts[state]++;
    return counts;
  }

  /** Seals sessions after a successful export: revokes their keys and keeps their tokens under the retention limits. */
  seal(sessions: readonly Session[], part?: ExportedShard): void {
    this.revokeKeys(sessions);
    this.#retention.keep(sessions, part);
    for (const session of sessions) this.#saveHead(session);
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
    const before = this.#byId.size;
    this.#removeOldestFreed(MIN_TOMBSTONES);
    return this.#byId.size < before;
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
    this.#remove(session);
  }

  /** Frees sessions that timed out. Call it periodically. */
  sweep(now = Date.now()): void {
    for (const session of this.all()) {
      const canExpire = session.state === "active" || session.state === "ended";
      if (!canExpire || session.calls.size > 0 || session.lifecycle.exporting) continue;
      if (now - session.lastAccessAt < this.#options.timeoutMilliseconds || now < session.keptUntil) continue;
      this.#revokeKey(session);
      session.free("expired");
    }
    this.#retention.sweep(now);
    this.#removeOldestFreed(MAX_TOMBSTONES);
  }

  #add(
    number: number,
    options: SessionStart & Pick<SessionOptions, "id" | "leaseId" | "summary" | "archived">,
  ): Session {
    const { records, digestKey, messageFilters = [] } = this.#options;
    const session: Session = new Session({
      ...options,
      number,
      messageFilters,
      events: this.events,
      tally: this.#tally,
      toolLists: this.#toolLists,
      imagePool: this.#imagePool,
      journal: records?.journal(
        number,
        () => this.#readHead(session),
        () => this.#noteData(session),
      ),
      digestKey,
    });
    this.#byId.set(session.id, session);
    this.#byNumber.set(number, session);
    const { runId, xSessionId } = session;
    if (runId !== undefined && xSessionId !== undefined) this.#byRun.set(nameInRun(runId, xSessionId), session);
    return session;
  }

  #remove(session: Session): void {
    const number = this.numberOf(session);
    if (number === undefined) return;
    this.#keys.revoke(session);
    this.#byId.delete(session.id);
    this.#byNumber.delete(number);
    const { runId, xSessionId } = session;
    if (runId !== undefined && xSessionId !== undefined) this.#byRun.delete(nameInRun(runId, xSessionId));
    this.#options.records?.remove(number);
  }

  #readHead(session: Session): StoredHead {
    return {
      summary: session.summarize(),
      keyHash: this.#keys.hashOf(session),
      exported: this.#retention.describe(session),
      archived: session.archived || undefined,
    };
  }

  /** Called when the stored data of a session changes. */
  #noteData(session: Session): void {
    if (session.state !== "active") this.events.emit("changed", session);
  }

  /** Notes whether the archive has the data of a session as it is. */
  setArchived(session: Session, archived: boolean): void {
    if (session.archived === archived) return;
    session.archived = archived;
    this.#saveHead(session);
  }

  /** Does nothing if the session was removed. */
  #saveHead(session: Session): void {
    const number = this.numberOf(session);
    if (number !== undefined) this.#options.records?.saveHead(number, () => this.#readHead(session));
  }

  #saveState(): void {
    const state: RegistryState = { nextNumber: this.#nextNumber, capacity: this.#capacity };
    this.#options.records?.saveValue(STATE, state);
  }

  #bindKey(session: Session, key: string): void {
    const previous = this.#keys.bind(session, key);
    this.#saveHead(session);
    // Its stored head still has the key, which would be valid again after a restart once the new session loses it.
    if (previous) this.#saveHead(previous);
  }

  #revokeKey(session: Session): void {
    if (this.#keys.revoke(session)) this.#saveHead(session);
  }

  /** Removes the oldest sessions without data until at most `most` sessions are left, or only sessions with data. */
  #removeOldestFreed(most: number): void {
    if (this.#byId.size <= most) return;
    for (const session of this.all()) {
      if (session.lifecycle.freed) this.#remove(session);
      if (this.#byId.size <= most) return;
    }
  }
}

/** Neither part has a space. */
const nameInRun = (runId: string, xSessionId: string): string => `${runId} ${xSessionId}`;
