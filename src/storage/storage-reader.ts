import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { asBuffer, type Entry, type Table } from "./changes.js";
import { StorageError, unusableFolderError } from "./errors.js";
import {
  EARLIER_FILE,
  hasStorage,
  MANIFEST_FILE,
  OF_EARLIER_VERSION,
  readSegmentNumber,
  segmentName,
} from "./file-names.js";
import { type FolderLock, isFolderOpen, lockForChange, refuseSpecialFiles } from "./folder.js";
import { type OpenedLog, openLog } from "./log/open-log.js";
import { scanSegment } from "./log/read-segment.js";
import type { DamagedValueError, StorageSize } from "./log/segment-set.js";

/** A part of a storage that cannot be read. */
export interface Damage {
  /** The table of the lost value; undefined if it is not known which values are lost. */
  readonly table: Table | undefined;
  readonly key: Buffer | undefined;
  readonly reason: string;
}

export type ReportDamage = (damage: Damage) => void;

/** Maximum number of open files. Beside a server, all segments are opened, because it may remove them while they are read. */
const MAX_FILES = 900;
/** How often a folder is read again because its server removed a segment meanwhile. */
const ATTEMPTS = 10;

/**
 * Reads a storage folder as a server would find it at its start, at one moment. Reading changes nothing in the folder. A server may have
 * it open. The intact parts of a damaged folder can be read.
 */
export class StorageReader {
  readonly directory: string;
  /** True if a server had the folder open when it was read. */
  readonly isLive: boolean;
  readonly #lock: FolderLock | undefined;
  readonly #log: OpenedLog;

  private constructor(directory: string, log: OpenedLog, isLive: boolean, lock?: FolderLock) {
    this.directory = directory;
    this.isLive = isLive;
    this.#log = log;
    this.#lock = lock;
  }

  /** @throws StorageError `storage_unusable` if the folder has no storage that this version reads */
  static open(directory: string): StorageReader {
    requireStorage(directory);
    const isLive = isFolderOpen(directory);
    return new StorageReader(directory, isLive ? openLive(directory) : openChecked(directory), isLive);
  }

  /**
   * Opens the folder to replace its files, and keeps servers from opening it.
   *
   * @throws StorageError `storage_unusable`, also if a server has it open
   */
  static openForChange(directory: string): StorageReader {
    requireStorage(directory);
    const lock = lockForChange(directory);
    try {
      return new StorageReader(directory, openChecked(directory), false, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Why confirmed changes are missing; empty if none is. */
  get damage(): readonly string[] {
    return this.#log.damage;
  }

  /** Names of the files of all segments and indexes, also of those that the manifest does not know. */
  listFiles(): string[] {
    return readdirSync(this.directory).filter((name) => readSegmentNumber(name) !== undefined);
  }

  /** The highest number that a segment has, or had according to the manifest. */
  get lastSegment(): number {
    return Math.max(this.#log.manifest.last, ...this.listFiles().map((name) => readSegmentNumber(name) ?? 0));
  }

  /** @throws DamagedValueError if the value is damaged */
  get(table: Table, key: Uint8Array): Buffer | undefined {
    return this.#log.set.get(table, asBuffer(key));
  }

  /**
   * Reads all entries whose keys begin with `prefix`, in ascending order of keys.
   *
   * @throws DamagedValueError at the first damaged one
   */
  range(table: Table, prefix?: Buffer): Iterable<Entry> {
    return this.#log.set.range(table, prefix);
  }

  /** Reads all entries of a table that can be read, and reports those that cannot. */
  scan(table: Table, onDamage: ReportDamage): Iterable<Entry> {
    const report = ({ key, message }: DamagedValueError) => onDamage({ table, key, reason: message });
    return this.#log.set.range(table, undefined, report);
  }

  /** Compares the checksum of each record, which a start does only for segments without an index. */
  checkRecords(onDamage: ReportDamage): void {
    const { manifest, set, damage: known } = this.#log;
    const report = (reason: string) => onDamage({ table: undefined, key: undefined, reason });
    for (const reason of known) report(reason);
    for (const segment of set.segments) {
      if (known.some((reason) => reason.startsWith(segmentName(segment.number)))) continue;
      const id = { log: manifest.log, segment: segment.number };
      for (const reason of scanSegment(set.readFile(segment), id, segment.end).damage) report(reason);
    }
  }

  readSize(): StorageSize {
    return this.#log.set.readSize();
  }

  close(): void {
    this.#log.set.close();
    this.#lock?.release();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function openChecked(directory: string): OpenedLog {
  try {
    return openLog(directory, { maxFiles: MAX_FILES });
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw unusableFolderError(directory, `cannot be read: ${(error as Error).message}`, error);
  }
}

/** Opens a folder that a server changes meanwhile. */
function openLive(directory: string): OpenedLog {
  for (let attempt = 1; ; attempt++) {
    try {
      const log = openLog(directory, { maxFiles: MAX_FILES });
      // Open files can still be read after the server removes them.
      const isWhole = log.set.openAll() && log.damage.length === 0;
      if (isWhole || attempt === ATTEMPTS) return log;
      log.set.close();
    } catch (error) {
      if (attempt === ATTEMPTS || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function requireStorage(directory: string): void {
  const problem = findProblem(directory);
  if (problem !== undefined) throw unusableFolderError(directory, problem);
  refuseSpecialFiles(directory);
}

function findProblem(directory: string): string | undefined {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return "is not a folder";
    return code === "ENOENT" ? "does not exist" : `cannot be read: ${message}`;
  }
  if (names.includes(EARLIER_FILE)) return OF_EARLIER_VERSION;
  if (hasStorage(directory) || names.some((name) => readSegmentNumber(name) !== undefined)) return undefined;
  const folders = names
    .filter((name) => existsSync(join(directory, name, MANIFEST_FILE)))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  if (folders.length === 0) return `has no file ${MANIFEST_FILE}: no server stored sessions there`;
  // Servers with several workers, for example, give each of them a folder.
  return `has no file ${MANIFEST_FILE}, but its folders ${folders.join(", ")} do. Name one of them`;
}
