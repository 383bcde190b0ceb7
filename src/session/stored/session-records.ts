import {
  type Change,
  DamagedValueError,
  damagedFolderError,
  type Entry,
  type EntryBlock,
  EntryBlocks,
  type Storage,
} from "../../storage/index.js";
import { Allowance } from "../../support/async/allowance.js";
import { runInIterations } from "../../support/async/run-steps.js";
import { Semaphore } from "../../support/async/semaphore.js";
import type { Steps } from "../../support/async/steps.js";
import type { ExportedShard, ExportedShards } from "../export/retention.js";
import type { SessionSummary } from "../session-summary.js";
import { DamagedSessionError, describeRestoreError } from "./damaged-session-error.js";
import { encodeImages } from "./image-record.js";
import { decodeMessages, encodeInteraction, type OwnMessages } from "./interaction-record.js";
import type { SessionJournal } from "./journal.js";
import { RECORD_KINDS, type RecordKind, readSessionKey, recordKey, sessionKey } from "./keys.js";
import { encodeOutcome } from "./outcome-record.js";
import { PendingSessions } from "./pending-sessions.js";
import {
  damagedRecordError,
  nameByNumber,
  nameRecord,
  readStoredSession,
  requireComplete,
  type StoredSession,
} from "./read-session.js";
import { openBytes, openJson, sealJson, sealPieces, sealText } from "./sealed-json.js";
import { describeStoredDamage } from "./stored-problem.js";
import { ToolRecords } from "./tool-records.js";

/** The record of a session that is read at every start; its interactions are not part of it. */
export interface StoredHead {
  readonly summary: SessionSummary;
  /** The hash of the session's key; undefined if the key was revoked. */
  readonly keyHash?: string | undefined;
  /** The exports of the session, while it is retained. */
  readonly exported?: ExportedShards | undefined;
  /** The archive has the data of the session. */
  readonly archived?: true | undefined;
}

/** The stored form of an export that must be acknowledged; see `ExportLeases`. */
export interface StoredLease {
  /** Numbers of the exported sessions. */
  readonly sessions: readonly number[];
  readonly part: ExportedShard;
  readonly expiresAt: number;
  readonly readerPid: number | undefined;
  readonly acknowledged: boolean;
  /** True: the lease ended without an acknowledgement. Its record is kept without sessions, so that a late one is refused. */
  readonly over: boolean;
}

/** Returns true if the export is held: its sessions are kept until it is acknowledged or its lease ends. */
export function isHeld({ acknowledged, over }: StoredLease): boolean {
  return !acknowledged && !over;
}

/** Maximum time in milliseconds for which changes of outcomes wait for another write that they can share a commit with. */
const OUTCOME_DELAY_MS = 50;
/**
 * Maximum writes of outcomes that do not wait, per second and in one burst. Each may need a separate commit. A server with more
 * calls also has more other writes, so outcomes soon share a commit with one of them.
 */
const PROMPT_WRITES = 20;
/** Maximum number of sessions that are read at the same time. The records of each are in memory until it is restored. */
const READS_AT_ONCE = 4;

/** Reads and writes the sessions of a server in its storage. */
export class SessionRecords {
  readonly #storage: Storage;
  readonly #blocks = new EntryBlocks();
  readonly #reads = new Semaphore(READS_AT_ONCE);
  readonly #tools: ToolRecords;
  /** Sessions whose head changed in this event turn. */
  readonly #changed = new Map<number, () => StoredHead>();
  /** Changes of outcomes that are not written yet. No answer waits for them. */
  #outcomes: Change[] = [];
  #outcomeTimer: NodeJS.Timeout | undefined;
  readonly #prompt = new Allowance(PROMPT_WRITES);
  readonly #pendingSessions = new PendingSessions();
  /** Numbers of the sessions whose data could not be read. */
  readonly #damaged = new Set<number>();

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#tools = new ToolRecords(storage);
  }

  /**
   * Returns the journal of a session.
   *
   * @param onData called before the records of the session change
   */
  journal(number: number, readHead: () => StoredHead, onData: () => void = () => undefined): SessionJournal {
    return {
      recorded: (index, interaction, { newTools, newImages }) => {
        onData();
        this.#changed.delete(number);
        this.#write([
          ...(newImages.length > 0
            ? [set("records", recordKey(number, "images", index), encodeImages(newImages))]
            : []),
          set("records", recordKey(number, "interaction", index), encodeInteraction(interaction)),
          set("sessions", sessionKey(number), sealJson(readHead())),
          ...(newTools ? this.#tools.add(number, newTools) : []),
        ]);
      },
      outcomeChanged: (index, outcome) => {
        onData();
        this.#writeSoon(set("records", recordKey(number, "outcome", index), encodeOutcome(outcome)));
      },
      channelsAdded: (added) => {
        onData();
        this.#write(added.map(({ index, bytes }) => set("records", recordKey(number, "channels", index), bytes)));
      },
      summaryChanged: () => this.saveHead(number, readHead),
      freed: (interactions) => {
        this.#changed.delete(number);
        this.#damaged.delete(number);
        // Together, because a session without its records would be damaged.
        this.#write([
          set("sessions", sessionKey(number), sealJson(readHead())),
          ...listRecords(number, interactions).map((key) => ({ table: "records" as const, key, value: undefined })),
          ...this.#tools.remove(number),
        ]);
      },
      saveResponse: (index, text, isKept) => this.#saveResponse(recordKey(number, "response", index), text, isKept),
      readResponse: (index) => this.#readResponse(recordKey(number, "response", index), () => readHead().summary.id),
      readTools: (key) => this.#tools.read(key, () => readHead().summary.id),
    };
  }

  /** Finds the tools of the sessions of an earlier process. `isNeeded` tells which sessions still have their data, by number. */
  restoreTools(isNeeded: (number: number) => boolean): void {
    const changes = this.#tools.restore(isNeeded);
    if (changes.length > 0) this.#write(changes);
  }

  /** Writes the head of a session at the end of this event turn, or before the next wait for the disk. */
  saveHead(number: number, readHead: () => StoredHead): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#saveChanged());
    this.#changed.set(number, readHead);
  }

  /** Removes a session that was freed. */
  remove(number: number): void {
    this.#changed.delete(number);
    this.#write([{ table: "sessions", key: sessionKey(number), value: undefined }]);
  }

  /** Writes a value of the whole server, such as the capacity. */
  saveValue(name: string, value: unknown): void {
    this.#write([set("meta", Buffer.from(name), sealJson(value))]);
  }

  /**
   * Returns a value that {@link saveValue} wrote; undefined if there is none.
   *
   * @throws StorageError `storage_unusable` if it is damaged
   */
  readValue(name: string): unknown {
    try {
      const bytes = this.#storage.get("meta", Buffer.from(name));
      return bytes && this.#openAtStart(bytes, () => `value ${name}`);
    } catch (error) {
      throw this.#toUnusable("meta", error);
    }
  }

  #saveResponse(key: Buffer, text: string | Iterable<string>, isKept: () => boolean): Promise<void> | undefined {
    const write = (sealed: Buffer) => this.#write([set("records", key, sealed)]);
    if (typeof text !== "string") {
      return runInIterations(sealPieces(text)).then((sealed) => {
        // A record of a freed session would never be removed.
        if (isKept()) write(sealed);
      });
    }
    write(sealText(text));
    return undefined;
  }

  /** @param readId returns the id of the session */
  *#readResponse(key: Buffer, readId: () => string): Steps<Buffer | undefined> {
    try {
      const bytes = this.#storage.get("records", key);
      return bytes && (yield* openBytes(bytes));
    } catch (error) {
      throw damagedRecordError(readId(), nameRecord(key), error);
    }
  }

  saveLease(id: string, lease: StoredLease): void {
    this.#write([set("leases", Buffer.from(id), sealJson(lease))]);
  }

  removeLease(id: string): void {
    this.#write([{ table: "leases", key: Buffer.from(id), value: undefined }]);
  }

  *readLeases(): Generator<[id: string, lease: StoredLease]> {
    for (const { key, value } of this.#readAtStart("leases")) {
      yield [key.toString(), this.#openAtStart(value, () => `export ${key.toString()}`) as StoredLease];
    }
  }

  /**
   * Reads the heads of all sessions, in the order in which the sessions started.
   *
   * @throws StorageError `storage_unusable` if one is damaged
   */
  *readHeads(): Generator<{ readonly number: number; readonly head: StoredHead }> {
    for (const { key, value } of this.#readAtStart("sessions")) {
      const number = readSessionKey(key);
      yield { number, head: this.#openAtStart(value, () => `the head of ${nameByNumber(number)}`) as StoredHead };
    }
  }

  /** Reads values that a server needs before it starts. A damaged value makes the folder unusable. */
  *#readAtStart(table: Change["table"]): Generator<Entry> {
    try {
      yield* this.#storage.range(table);
    } catch (error) {
      throw this.#toUnusable(table, error);
    }
  }

  #toUnusable(table: Change["table"], error: unknown): unknown {
    if (!(error instanceof DamagedValueError)) return error;
    const { what, reason } = describeStoredDamage({ table, key: error.key, reason: error.message });
    return damagedFolderError(this.#storage.directory, `${what}: ${reason}`, error);
  }

  /** Opens a value that a server needs before it starts. */
  #openAtStart(sealed: Buffer, name: () => string): unknown {
    try {
      return openJson(sealed);
    } catch (error) {
      throw damagedFolderError(this.#storage.directory, `${name()}: ${(error as Error).message}`, error);
    }
  }

  /**
   * Reads the data of a session and passes it to `load`. All changes of the session must be committed. The tokens are valid until
   * the promise of `load` settles.
   *
   * @param readSummary called when the read begins, which other reads may delay; returns undefined if the session was freed meanwhile
   * @throws DamagedSessionError if a record is damaged or missing, or if `load` refuses the tokens
   */
  async readSession(
    number: number,
    readSummary: () => SessionSummary | undefined,
    load: (stored: StoredSession) => Promise<void>,
  ): Promise<void> {
    using _read = await this.#reads.acquire();
    const summary = readSummary();
    if (!summary) return;
    this.#storage.requireOpen();
    try {
      await this.#readData(number, summary, load);
      this.#damaged.delete(number);
    } catch (error) {
      if (error instanceof DamagedSessionError) this.#damaged.add(number);
      throw error;
    }
  }

  async #readData(
    number: number,
    summary: SessionSummary,
    load: (stored: StoredSession) => Promise<void>,
  ): Promise<void> {
    const block = this.#blocks.take();
    try {
      // All at once, because the records may change between the steps.
      this.#readInto(block, summary, listData(number, summary.interactionCount));
      const stored = await runInIterations(
        readStoredSession(summary.id, block.entries(), (key) => this.#readMessages(summary.id, key)),
      );
      requireComplete(summary.id, stored, summary);
      try {
        await load(stored);
      } catch (error) {
        if ((error as { code?: unknown }).code === "ERR_OUT_OF_MEMORY") throw error;
        throw new DamagedSessionError(summary.id, describeRestoreError(error), error);
      }
    } finally {
      this.#blocks.giveBack(block);
    }
  }

  #readInto(block: EntryBlock, { id }: SessionSummary, keys: readonly Buffer[]): void {
    try {
      this.#storage.readInto(block, "records", keys);
    } catch (error) {
      throw error instanceof DamagedValueError ? damagedRecordError(id, nameRecord(error.key), error) : error;
    }
  }

  #readMessages(id: string, key: Buffer): OwnMessages {
    try {
      const bytes = this.#storage.get("records", key);
      if (!bytes) throw new Error("it is missing");
      return decodeMessages(bytes);
    } catch (error) {
      throw damagedRecordError(id, nameRecord(key), error);
    }
  }

  /**
   * Resolves when an answer may be sent; see {@link Storage.flushed}.
   *
   * @param session number of the only session whose changes matter; default: all changes
   */
  async flushed(session?: number): Promise<void> {
    this.#saveChanged();
    this.#writeOutcomes();
    const group = session === undefined ? undefined : (this.#pendingSessions.groupOf(session) ?? 0);
    await this.#storage.flushed(group);
  }

  /** Number of sessions whose data could not be read when it was needed, without those that were freed since. */
  get damagedSessions(): number {
    return this.#damaged.size;
  }

  /** Returns the numbers of the sessions with changes that are not on disk. */
  listPending(): number[] {
    return this.#pendingSessions.list(this.#storage.durable);
  }

  /** Resolves when everything that changed so far can be read. */
  async committed(): Promise<void> {
    this.#saveChanged();
    this.#writeOutcomes();
    await this.#storage.committed();
  }

  #saveChanged(): void {
    if (this.#changed.size === 0) return;
    const changes = [...this.#changed].map(([number, read]) => set("sessions", sessionKey(number), sealJson(read())));
    this.#changed.clear();
    this.#write(changes);
  }

  #writeSoon(outcome: Change): void {
    // At the end of the event turn, because a reward must be in one commit with the head that counts it.
    if (this.#outcomes.length === 0) queueMicrotask(() => this.#writePromptly());
    this.#outcomes.push(outcome);
  }

  #writePromptly(): void {
    this.#saveChanged();
    if (this.#outcomes.length === 0) return;
    if (this.#prompt.take()) this.#writeOutcomes();
    else this.#outcomeTimer ??= setTimeout(() => this.#writeOutcomes(), OUTCOME_DELAY_MS).unref();
  }

  #writeOutcomes(): void {
    this.#write([]);
  }

  /** Writes changes after the outcomes that still wait, so that changes keep their order. */
  #write(changes: readonly Change[]): void {
    clearTimeout(this.#outcomeTimer);
    this.#outcomeTimer = undefined;
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    const all = [...outcomes, ...changes];
    if (all.length === 0) return;
    this.#pendingSessions.written(all, this.#storage.write(all), this.#storage.durable);
  }
}

function set(table: Change["table"], key: Buffer, value: Buffer): Change {
  return { table, key, value };
}

/** Returns the keys of all records that a session with this number of interactions can have. */
function listRecords(number: number, interactions: number): Buffer[] {
  return RECORD_KINDS.flatMap((kind) => listKeys(number, kind, interactions));
}

/** Returns the keys of a session's data, and one after its last interaction, where there must be none. */
function listData(number: number, interactions: number): Buffer[] {
  return [
    ...listKeys(number, "interaction", interactions + 1),
    ...listKeys(number, "outcome", interactions),
    ...listKeys(number, "channels", interactions),
    ...listKeys(number, "images", interactions),
  ];
}

function listKeys(number: number, kind: RecordKind, count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => recordKey(number, kind, index));
}
