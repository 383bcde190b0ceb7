import { chmodSync, truncateSync } from "node:fs";
import { basename } from "node:path";
import { native } from "../../native/addon.js";
import type { NativeSyncedFile } from "../../native/contract.js";
import type { Change } from "../changes.js";
import { alignUp, GROWTH_BYTES, measureRecord, type RecordPlace, writeRecord } from "./log-record.js";

/** Maximum size of a file that is kept for the next segment. */
const KEPT_BYTES = 2 ** 24;
/** Maximum size of the buffer that is kept for the next record. */
const KEPT_BUFFER_BYTES = 2 ** 22;

/** A file of the log, which has the records of one segment at a time. Once they are in the data file, another segment overwrites them. */
export class LogSegment {
  readonly path: string;
  readonly #file: NativeSyncedFile;
  readonly #log: Buffer;
  #epoch = 0;
  #before: LogSegment | undefined;
  #records = 0;
  #changes = 0;
  /** Where the next record begins. */
  #end = 0;
  #fileBytes = 0;
  #buffer = Buffer.alloc(GROWTH_BYTES);

  /**
   * Opens the file, and creates it if it is missing. Does not change its content.
   *
   * @param log id of the log
   */
  constructor(path: string, log: Buffer) {
    this.path = path;
    this.#log = log;
    this.#file = openFile(path);
    // An existing file may be a copy that others can read.
    chmodSync(path, 0o600);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Size of its records in bytes. */
  get bytes(): number {
    return this.#end;
  }

  /** Number of changes in its records. */
  get changes(): number {
    return this.#changes;
  }

  /** Replaces the content with zeros. Resolves when they are on disk. */
  async prepare(): Promise<void> {
    truncateSync(this.path);
    await this.#file.write(Buffer.alloc(GROWTH_BYTES), 0);
    this.#fileBytes = GROWTH_BYTES;
  }

  /**
   * Begins another segment. The records so far must be in the data file.
   *
   * @param before the previous segment. Its size is read later, because its last record may still be written now
   */
  begin(epoch: number, before?: LogSegment): void {
    this.#epoch = epoch;
    this.#before = before;
    this.#records = 0;
    this.#changes = 0;
    this.#end = 0;
    if (this.#fileBytes > KEPT_BYTES) this.#shrink();
  }

  /** Writes a record. Resolves when it is on disk. If this rejects, the next record takes its place. */
  async append(changes: readonly Change[]): Promise<void> {
    const end = this.#end + measureRecord(changes);
    const fileBytes = Math.max(this.#fileBytes, alignUp(end, GROWTH_BYTES));
    // If the file grows, the same write fills the new space with zeros, so that later records only overwrite it.
    const size = (end > this.#fileBytes ? fileBytes : end) - this.#end;
    const buffer = this.#takeBuffer(size);
    writeRecord(buffer, this.#nextPlace(), changes);
    await this.#file.write(buffer, this.#end);
    this.#fileBytes = fileBytes;
    this.#records++;
    this.#changes += changes.length;
    this.#end = end;
  }

  release(): void {
    this.#file.release();
  }

  #nextPlace(): RecordPlace {
    return { log: this.#log, epoch: this.#epoch, before: this.#before?.bytes ?? 0, number: this.#records };
  }

  #shrink(): void {
    try {
      truncateSync(this.path, GROWTH_BYTES);
      this.#fileBytes = GROWTH_BYTES;
    } catch {
      // The file keeps its size, and the next records overwrite its start.
    }
  }

  #takeBuffer(size: number): Buffer {
    if (size > KEPT_BUFFER_BYTES) return Buffer.alloc(size);
    if (size > this.#buffer.length) this.#buffer = Buffer.alloc(alignUp(size, GROWTH_BYTES));
    return this.#buffer.subarray(0, size);
  }
}

function openFile(path: string): NativeSyncedFile {
  try {
    return new native.SyncedFile(path);
  } catch (error) {
    // The message of the addon begins with the name of its parameter.
    const why = (error as Error).message.split(": ").at(-1);
    throw new Error(`${basename(path)} cannot be opened for writing: ${why}`, { cause: error });
  }
}
