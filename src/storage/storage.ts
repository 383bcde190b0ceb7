import type { Change, Entry, Table } from "./changes.js";
import { asBuffer, requireKey } from "./changes.js";
import type { EntryBlock } from "./entry-block.js";
import { damagedFolderError, StorageError, unusableFolderError } from "./errors.js";
import { DISK_FULL, inspectFileSystem } from "./file-system.js";
import { type FolderLock, lockFolder, prepareFolder, refuseSpecialFiles } from "./folder.js";
import { GroupCommit } from "./group-commit.js";
import { Log } from "./log/log.js";
import { type OpenedLog, openLog, type Recovered } from "./log/open-log.js";
import type { SegmentSet, StorageSize } from "./log/segment-set.js";

/** Time between commits, for durability `interval`. */
const INTERVAL_MS = 100;

/**
 * When the server sends an answer, and what is lost when the process or the machine stops.
 *
 * - `call`: after the changes of the call are on disk. No answered change is lost.
 * - `interval`: at once. The changes of the last interval are lost.
 * - `none`: at once. If the process stops, the changes of the last milliseconds are lost. If the machine stops, the folder may be
 *   damaged.
 */
export type Durability = "call" | "interval" | "none";

export interface StorageOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** Called about each second while the segments of a large folder are read, with the number read so far and the number of all. */
  readonly onRead?: (read: number, total: number) => void;
  /** Called after a crash with what was read from segments without an index. */
  readonly onRecover?: (recovered: Recovered) => void;
  /** Called with the error when writes begin to fail, and with undefined when they succeed again. */
  readonly onFailure?: (failure: StorageError | undefined) => void;
}

/** Maximum number of segments whose files are open at a time. */
const MAX_FILES = 128;
const REPORT_MS = 1000;

/** A folder whose content survives the process: tables of keys and values in a log; see {@link Log}. */
export class Storage {
  readonly directory: string;
  /** True if an answer waits until its changes are on disk. */
  readonly #answersWait: boolean;
  readonly #lock: FolderLock;
  readonly #set: SegmentSet;
  readonly #log: Log;
  readonly #commits: GroupCommit;
  #closing: Promise<void> | undefined;
  readonly #waitListeners = new Set<(seconds: number) => void>();

  private constructor(options: StorageOptions, lock: FolderLock, opened: OpenedLog) {
    const { directory, durability } = options;
    this.directory = directory;
    this.#answersWait = durability === "call";
    this.#lock = lock;
    this.#set = opened.set;
    this.#log = new Log(directory, opened, durability !== "none");
    this.#commits = new GroupCommit({
      ...options,
      commit: (changes) => this.#explain(this.#log.append(changes)),
      delayMilliseconds: durability === "interval" ? INTERVAL_MS : 0,
    });
  }

  /**
   * Opens the folder, and creates it if it is missing. Changes no file in it until something is written.
   *
   * @throws StorageError `storage_unusable` with the reason, for example that another process has it open
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { directory, onRead, onRecover } = options;
    await prepareFolder(directory);
    refuseSpecialFiles(directory);
    const lock = lockFolder(directory);
    try {
      const opened = openLog(directory, { maxFiles: MAX_FILES, onSegment: onRead && eachSecond(onRead) });
      const [damage] = opened.damage;
      if (damage !== undefined) throw damagedFolderError(directory, damage);
      const { records, incomplete } = opened.recovered;
      if (records > 0 || incomplete > 0) onRecover?.(opened.recovered);
      return new Storage(options, lock, opened);
    } catch (error) {
      lock.release();
      throw error instanceof StorageError ? error : toUnusable(directory, error);
    }
  }

  /** Why the disk refuses writes; undefined if it accepts them. */
  get failure(): StorageError | undefined {
    return this.#commits.failure;
  }

  /** Number of groups of changes that are not on disk; see {@link write}. */
  get pending(): number {
    return this.#commits.pending;
  }

  /** Number of the last group of changes that is on disk. */
  get durable(): number {
    return this.#commits.durable;
  }

  /**
   * Queues changes. They reach the disk together, after all earlier changes.
   *
   * @returns the number of the group that they belong to, with the other changes of this event turn
   * @throws RangeError for a key that its table cannot have
   */
  write(changes: readonly Change[]): number {
    // Such a change could never be written.
    for (const { table, key } of changes) requireKey(table, key);
    return this.#commits.write(changes);
  }

  /**
   * Resolves when an answer may be sent: with durability `call`, when a group of changes and all earlier ones are on disk.
   *
   * @param group default: that of the last change
   */
  async flushed(group?: number): Promise<void> {
    if (this.#answersWait) await this.#measureWait(() => this.#commits.flushed(group));
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

  /** Resolves when all changes so far can be read, with any durability. */
  async committed(): Promise<void> {
    this.requireOpen();
    await this.#commits.flushed();
  }

  /**
   * Reads a value. Does not see changes that are not committed yet.
   *
   * @throws DamagedValueError if it is damaged, StorageError `storage_failed` if the disk refuses the read
   */
  get(table: Table, key: Uint8Array): Buffer | undefined {
    return this.#set.get(table, asBuffer(key));
  }

  /** Adds the entries of these keys to a block, in their order. Keys without a value are left out. Throws like {@link get}. */
  readInto(block: EntryBlock, table: Table, keys: readonly Buffer[]): void {
    this.#set.readInto(block, table, keys);
  }

  /** Reads all entries whose keys begin with `prefix`, in ascending order of keys. Throws like {@link get}. */
  range(table: Table, prefix?: Buffer): Iterable<Entry> {
    return this.#set.range(table, prefix);
  }

  /** Returns all keys that begin with `prefix`, in ascending order. */
  keys(table: Table, prefix?: Buffer): Iterable<Buffer> {
    return this.#set.keys(table, prefix);
  }

  readSize(): StorageSize {
    return this.#set.readSize();
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
    // If the disk refuses it, the next start reads the last segment.
    await this.#log.close().catch(() => undefined);
    this.#set.close();
    this.#lock.release();
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

  /** Waits for a commit. If it fails and the disk is full, the error says so. */
  async #explain(commit: Promise<void>): Promise<void> {
    try {
      await commit;
    } catch (error) {
      const { isFull } = await inspectFileSystem(this.directory).catch(() => ({ isFull: false }));
      throw isFull ? new Error(DISK_FULL, { cause: error }) : error;
    }
  }
}

/** Returns a function that forwards at most one call a second to `report`. */
function eachSecond(report: (read: number, total: number) => void): (read: number, total: number) => void {
  let reportedAt = performance.now();
  return (read, total) => {
    if (performance.now() - reportedAt < REPORT_MS) return;
    reportedAt = performance.now();
    report(read, total);
  };
}

function toUnusable(directory: string, error: unknown): StorageError {
  const reason = error instanceof Error ? error.message : String(error);
  return unusableFolderError(directory, `cannot be opened: ${reason}`, error);
}
