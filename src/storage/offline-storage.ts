import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runAtOnce } from "../support/async/steps.js";
import type { Entry } from "./changes.js";
import { TABLES, type Table } from "./changes.js";
import { dropUnconfirmedPages } from "./commit-state.js";
import { unusableFolderError } from "./errors.js";
import { DATA_FILE } from "./file-names.js";
import { type FolderLock, lockForChange, lockForCommand, refuseLostDataFile, refuseSpecialFiles } from "./folder.js";
import { LogOverlay } from "./log/log-overlay.js";
import { type LogSize, measureLog, readUnapplied } from "./log/read-log.js";
import { FileCheck } from "./pages/check-file.js";
import { readTree, TREE_BYTES, type Tree } from "./pages/meta-page.js";
import { PageError, PageFile } from "./pages/page-file.js";
import { TABLE } from "./pages/page-nodes.js";
import { ALL_KEYS, compareNumbers, type KeyRange, type LostKeys, walkTree } from "./pages/walk-tree.js";
import { rangeOfPrefix } from "./prefix-range.js";
import type { StorageSize } from "./storage-size.js";

/** A part of the file that cannot be read. */
export interface Damage extends LostKeys {
  /** The table with the lost keys; undefined if it is the file's own structure. */
  readonly table: Table | undefined;
}

/** The log of a folder. Its size is that of the changes that the data file does not have yet, up to the damage. */
export interface OfflineLog extends LogSize {
  /** Why confirmed changes are missing; undefined if none is. */
  readonly damage: string | undefined;
  /** True if no server has closed it since it was opened, for example because the server was killed. */
  readonly isOpen: boolean;
}

export type ReportDamage = (damage: Damage) => void;

/**
 * The folder of a server that is not running, as the server would find it at its start: the data file and the changes in the log that it
 * does not have yet. Reading changes nothing and creates no files. A damaged file can be read as far as it is intact.
 */
export class OfflineStorage {
  readonly directory: string;
  readonly #lock: FolderLock | undefined;
  readonly #file: PageFile;
  readonly #tables: ReadonlyMap<Table, Tree>;
  /** Damage of the file's own structure. */
  readonly #structure: readonly Damage[];
  /** Undefined for a copy of the file, which has no log. */
  readonly #overlay: LogOverlay | undefined;
  /** Undefined for a copy of the file. */
  readonly log: OfflineLog | undefined;

  private constructor(directory: string, lock: FolderLock | undefined, copy?: string) {
    this.directory = directory;
    this.#lock = lock;
    this.#file = new PageFile(join(directory, copy ?? DATA_FILE));
    const damage: Damage[] = this.#file.damagedMeta.map((page) => ({
      ...ALL_KEYS,
      table: undefined,
      reason: `page ${page} is damaged: it is not a valid meta page`,
    }));
    this.#tables = this.#readTables((reason) => damage.push({ ...reason, table: undefined }));
    this.#structure = damage;
    if (copy !== undefined) return;
    const log = readUnapplied(directory, this);
    this.log = { ...measureLog(log), damage: log.damage, isOpen: log.state?.isOpen === true };
    this.#overlay = new LogOverlay(log);
  }

  /**
   * Opens the folder and keeps servers from opening it.
   *
   * @throws StorageError `storage_unusable` if a server has it open or it has no storage
   */
  static open(directory: string): OfflineStorage {
    return openLocked(directory, lockForCommand, (lock) => new OfflineStorage(directory, lock));
  }

  /**
   * Opens the folder like {@link open}, to replace its file. Creates the lock file if it is missing.
   *
   * @throws StorageError `storage_unusable`
   */
  static openForChange(directory: string): OfflineStorage {
    return openLocked(directory, lockForChange, (lock) => new OfflineStorage(directory, lock));
  }

  /**
   * Opens a copy of the file in the folder. The folder must be locked.
   *
   * @throws PageError if it is damaged
   */
  static openCopy(directory: string, name: string): OfflineStorage {
    return new OfflineStorage(directory, undefined, name);
  }

  /**
   * Reads a value.
   *
   * @throws PageError if it is damaged
   */
  get(table: Table, key: Uint8Array): Buffer | undefined {
    for (const entry of this.range(table, key)) return entry.key.equals(key) ? entry.value : undefined;
    return undefined;
  }

  /**
   * Reads all entries whose keys begin with `prefix`, in ascending order of keys.
   *
   * @throws PageError at the first damaged page
   */
  *range(table: Table, prefix: Uint8Array = new Uint8Array()): Generator<Entry> {
    yield* this.#read(table, rangeOfPrefix(prefix), ({ reason }) => {
      throw new PageError(reason);
    });
  }

  /** Reads all entries of a table that can be read, and reports those that cannot. */
  *scan(table: Table, onDamage: ReportDamage): Generator<Entry> {
    yield* this.#read(table, ALL_KEYS, onDamage);
  }

  /** Checks the parts of the file that have no records: the list of tables and the list of free pages. */
  checkStructure(onDamage: ReportDamage): void {
    for (const damage of this.#structure) onDamage(damage);
    const onLost = (lost: LostKeys) => onDamage({ ...ALL_KEYS, table: undefined, reason: lost.reason });
    let entries = 0;
    let isWhole = true;
    const fail = (lost: LostKeys) => {
      isWhole = false;
      onLost(lost);
    };
    for (const entry of walkTree(this.#file, this.#file.meta.free, { compare: compareNumbers, onLost: fail })) {
      entries++;
      try {
        entry.read();
      } catch (error) {
        fail({ ...ALL_KEYS, reason: toReason(error) });
      }
    }
    const expected = this.#file.meta.free.entries;
    if (isWhole && entries !== expected) {
      onLost({ ...ALL_KEYS, reason: `entries of the list of free pages: ${entries} instead of ${expected}` });
    }
  }

  /** Returns why a server would refuse the file; undefined if it would not. See {@link FileCheck}. */
  findDamage(): string | undefined {
    return runAtOnce(new FileCheck(this.#file).run());
  }

  readSize(): StorageSize {
    const { byteLength, pageSize } = this.#file;
    const pages = [...this.#tables.values()].map(({ pages }) => pages.branch + pages.leaf + pages.value);
    const usedBytes = pages.reduce((sum, count) => sum + count, 0) * pageSize;
    // Counters of a damaged file can have any value.
    return { fileBytes: byteLength, usedBytes: Math.min(usedBytes, byteLength) };
  }

  close(): void {
    this.#file.close();
    this.#lock?.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #readTables(onLost: (lost: LostKeys) => void): ReadonlyMap<Table, Tree> {
    const tables = new Map<Table, Tree>();
    for (const { key, flags, read } of walkTree(this.#file, this.#file.meta.main, { onLost })) {
      const name = TABLES.find((table) => isName(key, table));
      if (!name || (flags & TABLE) === 0) continue;
      const value = read();
      if (value.length === TREE_BYTES) tables.set(name, readTree(value));
      else onLost({ ...ALL_KEYS, reason: `the table ${name} is damaged` });
    }
    return tables;
  }

  #read(table: Table, range: KeyRange, onDamage: ReportDamage): Iterable<Entry> {
    const entries = this.#readFile(table, range, onDamage);
    return this.#overlay?.merge(table, range, entries) ?? entries;
  }

  *#readFile(table: Table, range: KeyRange, onDamage: ReportDamage): Generator<Entry> {
    const tree = this.#tables.get(table);
    if (!tree) {
      // Without damage, nothing was ever written to the table.
      const [damage] = this.#structure;
      if (damage) onDamage({ ...range, table, reason: damage.reason });
      return;
    }
    let entries = 0;
    let isWhole = true;
    const onLost = (lost: LostKeys) => {
      isWhole = false;
      onDamage({ ...lost, table });
    };
    for (const { key, read } of walkTree(this.#file, tree, { range, onLost })) {
      entries++;
      let value: Buffer;
      try {
        value = read();
      } catch (error) {
        onLost({ from: key, to: Buffer.concat([key, Buffer.of(0)]), reason: toReason(error) });
        continue;
      }
      yield { key, value };
    }
    const isComplete = range === ALL_KEYS && isWhole;
    if (isComplete && entries !== tree.entries) {
      onDamage({ ...range, table, reason: `entries of the table: ${entries} instead of ${tree.entries}` });
    }
  }
}

function openLocked(
  directory: string,
  lockFolder: (directory: string) => FolderLock | undefined,
  open: (lock: FolderLock | undefined) => OfflineStorage,
): OfflineStorage {
  refuseSpecialFiles(directory);
  refuseLostDataFile(directory);
  requireStorage(directory);
  const lock = lockFolder(directory);
  try {
    dropUnconfirmedPages(join(directory, DATA_FILE));
    return open(lock);
  } catch (error) {
    lock?.release();
    if (error instanceof PageError) {
      throw unusableFolderError(directory, `has a file ${DATA_FILE} that cannot be read: ${error.message}`, error);
    }
    throw error;
  }
}

/** Names of tables may end with a zero byte. */
function isName(key: Buffer, table: Table): boolean {
  const name = key.at(-1) === 0 ? key.subarray(0, -1) : key;
  return name.toString() === table;
}

function requireStorage(directory: string): void {
  try {
    accessSync(join(directory, DATA_FILE), constants.R_OK);
  } catch (error) {
    throw unusableFolderError(directory, describeMissing(directory, error as NodeJS.ErrnoException), error);
  }
}

function describeMissing(directory: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "ENOTDIR") return "is not a folder";
  if (code !== "ENOENT") return `cannot be read: ${message}`;
  if (!existsSync(directory)) return "does not exist";
  const folders = readdirSync(directory)
    .filter((name) => existsSync(join(directory, name, DATA_FILE)))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (folders.length === 0) return `has no file ${DATA_FILE}: no server stored sessions there`;
  // Servers with several workers, for example, give each of them a folder.
  return `has no file ${DATA_FILE}, but its folders ${folders.join(", ")} do. Name one of them`;
}

function toReason(error: unknown): string {
  if (error instanceof PageError) return error.message;
  throw error;
}
