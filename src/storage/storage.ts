import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Change, Entry, Table } from "./changes.js";
import { dropUnconfirmedPages } from "./commit-state.js";
import { CommitThread } from "./commit-thread.js";
import { prepareDataFile } from "./data-file.js";
import { LmdbFile } from "./database.js";
import type { EntryBlock } from "./entry-block.js";
import { StorageError, unusableFolderError } from "./errors.js";
import { DATA_FILE, LMDB_LOCK_FILE } from "./file-names.js";
import { DISK_FULL, inspectFileSystem, requireSpace, syncPath } from "./file-system.js";
import {
  type FolderLock,
  lockDataFile,
  lockFolder,
  prepareFolder,
  refuseLostDataFile,
  refuseSpecialFiles,
  removeCopy,
} from "./folder.js";
import { GroupCommit } from "./group-commit.js";
import { type ReportCheck, refuseDamagedFile } from "./intact-file.js";
import type { LogState } from "./log/log-state.js";
import type { LogSize } from "./log/read-log.js";
import { dropLog, recoverLog } from "./log/recover-log.js";
import { type SegmentToApply, WriteAheadLog } from "./log/write-ahead-log.js";
import { replaceAfterFailedSync } from "./replace-file.js";
import type { StorageSize } from "./storage-size.js";

/**
 * When the server sends an answer, and what is lost when the process or the machine stops.
 *
 * - `call`: after the changes of the call are on disk. No answered change is lost.
 * - `interval`: at once. The changes of the last interval are lost.
 * - `none`: at once. If the process stops, the changes of the last milliseconds are lost. If the machine stops, the file may be
 *   damaged.
 */
export type Durability = "call" | "interval" | "none";

export interface StorageOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** Time between commits, for durability `interval`. Default 100. */
  readonly intervalMilliseconds?: number;
  /** Called each second while the pages of a large file are checked before it is opened. */
  readonly onCheck?: ReportCheck;
  /** Called with the size of the changes that a crash left in the write-ahead log, once they are in the data file. */
  readonly onRecover?: (applied: LogSize) => void;
  /** Called with the error when writes begin to fail, and with undefined when they succeed again. */
  readonly onFailure?: (failure: StorageError | undefined) => void;
}

/** Limit of LMDB. */
const MAX_KEY_BYTES = 1978;

/** A folder whose content survives the process: tables of keys and values in one LMDB file, with a write-ahead log. */
export class Storage {
  readonly directory: string;
  /** True if an answer waits until its changes are on disk. */
  readonly #answersWait: boolean;
  readonly #locks: readonly FolderLock[];
  readonly #file: LmdbFile;
  readonly #thread: CommitThread;
  /** Only with durability `call`. Otherwise no answer waits for a commit of the data file. */
  readonly #log: WriteAheadLog | undefined;
  readonly #commits: GroupCommit;
  readonly #onFailure: StorageOptions["onFailure"];
  /** The failure that was reported last. */
  #reported: StorageError | undefined;
  #closing: Promise<void> | undefined;
  readonly #waitListeners = new Set<(seconds: number) => void>();

  private constructor(options: StorageOptions, locks: readonly FolderLock[], state: LogState | undefined) {
    const { directory, durability, intervalMilliseconds = 100 } = options;
    this.directory = directory;
    this.#answersWait = durability === "call";
    this.#locks = locks;
    this.#onFailure = options.onFailure;
    // Before the thread, which would keep running if a file of the log cannot be opened.
    if (state) {
      this.#log = new WriteAheadLog({
        directory,
        state,
        apply: (segment: SegmentToApply) => this.#explain(this.#thread.apply(segment)),
        commit: (changes) => this.#explain(this.#thread.commit(changes)),
        onApply: () => this.#reportFailure(),
      });
    }
    const database = { path: join(directory, DATA_FILE), sync: durability !== "none", readOnly: false };
    this.#file = new LmdbFile(database);
    this.#thread = new CommitThread(database);
    this.#commits = new GroupCommit({
      ...options,
      commit: (changes) => this.#explain(this.#log ? this.#log.append(changes) : this.#thread.commit(changes)),
      onFailure: () => this.#reportFailure(),
      delayMilliseconds: durability === "interval" ? intervalMilliseconds : 0,
    });
  }

  /**
   * Opens the folder, and creates it if it is missing.
   *
   * @throws StorageError `storage_unusable` with the reason, for example that another process has it open
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { directory, durability, onRecover } = options;
    await prepareFolder(directory);
    refuseSpecialFiles(directory);
    refuseLostDataFile(directory);
    const locks = [lockFolder(directory)];
    try {
      await removeCopy(directory);
      dropUnconfirmedPages(join(directory, DATA_FILE));
      await refuseDamagedFile(directory, join(directory, DATA_FILE), options.onCheck);
      await replaceAfterFailedSync(directory);
      await prepareDataFile(join(directory, DATA_FILE));
      for (const name of [DATA_FILE, LMDB_LOCK_FILE]) await makePrivateFile(join(directory, name));
      // LMDB writes its first pages when it opens a new file.
      if ((await stat(join(directory, DATA_FILE))).size === 0) requireSpace(directory, 0, 0);
      locks.push(await lockDataFile(directory, join(directory, DATA_FILE)));
      const { state, applied } = await recoverLog(directory);
      if (applied.records > 0) onRecover?.(applied);
      const needsLog = durability === "call";
      if (!needsLog) await dropLog(directory, state);
      // Before the log is created: if a folder has a log, it has a data file.
      syncPath(directory);
      const storage = new Storage(options, locks, needsLog ? state : undefined);
      // On a full disk, the first change tries again. Until then, sessions can be exported.
      await storage.#log?.open().catch(() => undefined);
      return storage;
    } catch (error) {
      releaseAll(locks);
      throw error instanceof StorageError ? error : toUnusable(directory, error);
    }
  }

  /** Why the disk refuses writes; undefined if it accepts them. */
  get failure(): StorageError | undefined {
    return this.#commits.failure ?? this.#log?.failure;
  }

  /** Number of calls of {@link write} whose changes are not on disk. */
  get pending(): number {
    return this.#commits.pending;
  }

  /** Size of the changes that are in the write-ahead log and not in the data file, in bytes. */
  get logBytes(): number {
    return this.#log?.bytes ?? 0;
  }

  /**
   * Queues changes. They reach the disk together, after all earlier changes.
   *
   * @throws RangeError for a key that LMDB does not accept
   */
  write(changes: readonly Change[]): void {
    // Such a change would be in the log, and could never be applied.
    for (const { key } of changes) requireKey(key);
    this.#commits.write(changes);
  }

  /** Resolves when an answer may be sent: with durability `call`, when all changes so far are on disk. */
  async flushed(): Promise<void> {
    if (this.#answersWait) await this.#measureWait(() => this.#commits.flushed());
    else if (this.failure) throw this.failure;
  }

  /**
   * Calls `listener` with the seconds of each wait for the disk, including waits that fail.
   *
   * @returns a function that removes the listener
   */
  onWait(listener: (seconds: number) => void): () => void {
    this.#waitListeners.add(listener);
    return () => void this.#waitListeners.delete(listener);
  }

  /** Resolves when all changes so far are in the data file and can be read, with any durability. */
  async committed(): Promise<void> {
    this.requireOpen();
    await this.#commits.flushed();
    await this.#log?.applied();
  }

  /** Reads a value. Does not see changes that are not committed yet. */
  get(table: Table, key: Uint8Array): Buffer | undefined {
    return this.#file.get(table, key);
  }

  /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. */
  readInto(block: EntryBlock, table: Table, keys: readonly Buffer[]): void {
    this.#file.readInto(block, table, keys);
  }

  /** Reads all entries whose keys begin with `prefix`, in ascending order of keys. */
  range(table: Table, prefix: Uint8Array = new Uint8Array()): Iterable<Entry> {
    return this.#file.range(table, prefix);
  }

  /** Reads all keys that begin with `prefix`. */
  keys(table: Table, prefix: Uint8Array): Iterable<Buffer> {
    return this.#file.keys(table, prefix);
  }

  /** Reads the size of the file from disk. */
  async readSize(): Promise<StorageSize> {
    const { size } = await stat(join(this.directory, DATA_FILE));
    return { fileBytes: size, usedBytes: this.#file.readUsedBytes() };
  }

  /** @throws StorageError `storage_failed` if the storage was closed, so that nothing can be read any more */
  requireOpen(): void {
    if (this.#closing) throw new StorageError("storage_failed", "The server is closing its storage.");
  }

  /** Waits for the last commit and releases the folder for other processes. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#commits.close();
    // If the data file does not accept the last changes, they stay in the log for the next start.
    await this.#log?.close().catch(() => undefined);
    await this.#thread.close();
    await this.#file.close();
    releaseAll(this.#locks);
  }

  async #measureWait(wait: () => Promise<void>): Promise<void> {
    const start = performance.now();
    try {
      await wait();
    } finally {
      const seconds = (performance.now() - start) / 1000;
      for (const listener of this.#waitListeners) listener(seconds);
    }
  }

  #reportFailure(): void {
    const { failure } = this;
    if ((failure === undefined) === (this.#reported === undefined)) return;
    this.#reported = failure;
    this.#onFailure?.(failure);
  }

  /** Names a full disk, which LMDB reports as an input/output error. */
  async #explain(commit: Promise<void>): Promise<void> {
    try {
      await commit;
    } catch (error) {
      const { isFull } = await inspectFileSystem(this.directory).catch(() => ({ isFull: false }));
      throw isFull ? new Error(DISK_FULL, { cause: error }) : error;
    }
  }
}

function requireKey({ length }: Uint8Array): void {
  if (length >= 1 && length <= MAX_KEY_BYTES) return;
  throw new RangeError(`A key of the storage must have 1 to ${MAX_KEY_BYTES} bytes; received ${length}.`);
}

/**
 * Creates an empty file that only its owner can read, or removes the permissions of other users from an existing one. Called before
 * LMDB opens the file, because LMDB would lose its locks on a file that this process closes.
 */
async function makePrivateFile(path: string): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

function releaseAll(locks: readonly FolderLock[]): void {
  for (const lock of locks) lock.release();
}

function toUnusable(directory: string, error: unknown): StorageError {
  const reason = error instanceof Error ? error.message : String(error);
  return unusableFolderError(directory, `cannot be opened: ${reason}`, error);
}
