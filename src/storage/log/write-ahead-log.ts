import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../changes.js";
import { type StorageError, writeError } from "../errors.js";
import { FAILED_SYNC, markFailedSync } from "../failed-sync.js";
import { DATA_FILE, LOG_FILES } from "../file-names.js";
import { requireSpace, syncPath } from "../file-system.js";
import { GROWTH_BYTES, measureRecord } from "./log-record.js";
import { LogSegment } from "./log-segment.js";
import { type LogState, storeLogState } from "./log-state.js";

/** A segment to apply: all its changes and the new state of the log must become one commit of the data file. */
export interface SegmentToApply {
  readonly path: string;
  /** Id of the log. */
  readonly log: Buffer;
  readonly epoch: number;
  /** Size of its records. */
  readonly bytes: number;
}

export interface LogOptions {
  readonly directory: string;
  readonly state: LogState;
  /** Commits a segment to the data file. Resolves when it is on disk. */
  readonly apply: (segment: SegmentToApply) => Promise<void>;
  /** Commits changes to the data file. Resolves when they are on disk. */
  readonly commit: (changes: readonly Change[]) => Promise<void>;
  /** Called after each attempt to apply a segment. */
  readonly onApply?: () => void;
}

/** Time after which changes are applied, unless a caller waits for that. A longer time means fewer commits, but more work at a restart. */
const APPLY_AFTER_MS = 200;
/** Size of a segment that is applied at once. */
const APPLY_AT_BYTES = 2 ** 22;
/** Size of the active segment beyond which changes wait until the segment before it is applied. */
const MAX_SEGMENT_BYTES = 2 ** 26;
const RETRY_MS = 1000;

/**
 * The write-ahead log: one write puts changes on disk. They reach the data file later, many of them in one commit.
 *
 * There are two segments. New changes go to the active one. To apply it, the log makes the other segment active, and one commit writes
 * all changes of the sealed segment to the data file. A crash leaves at most these two segments to apply at the next start.
 */
export class WriteAheadLog {
  readonly #options: LogOptions;
  readonly #dataFile: string;
  readonly #segments: readonly [even: LogSegment, odd: LogSegment];
  /** Epoch of the active segment. */
  #epoch: number;
  /** Epoch of the last segment that is in the data file: one or two before the active one. */
  #applied: number;
  #appending: Promise<void> | undefined;
  #applying: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: StorageError | undefined;
  #syncFailed = false;
  /** True once the files are ready for records. */
  #isReady = false;
  /** True if the data file says that the log is open; undefined if that is not known. */
  #isOpen: boolean | undefined;

  constructor(options: LogOptions) {
    const { directory, state } = options;
    const [even, odd] = LOG_FILES.map((name) => new LogSegment(join(directory, name), state.log));
    if (!even || !odd) throw new Error("the log has two files");
    this.#options = options;
    this.#dataFile = join(directory, DATA_FILE);
    this.#segments = [even, odd];
    this.#applied = state.applied;
    this.#epoch = state.applied + 1;
    this.#isOpen = state.isOpen;
    this.#active.begin(this.#epoch);
  }

  /** Why the data file does not accept a segment; undefined if it does. */
  get failure(): StorageError | undefined {
    return this.#failure;
  }

  /** Size of the changes that are not in the data file, in bytes. */
  get bytes(): number {
    return this.#listUnapplied().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Prepares the files and opens the log in the data file. A start with an open log requires whole files, so the files are prepared while
   * the log is closed. If this rejects, for example because the disk is full, the next change tries again.
   */
  async open(): Promise<void> {
    requireSpace(this.#dataFile, this.#segments.length * GROWTH_BYTES, 1);
    try {
      if (this.#isOpen !== false) await this.#saveState({ isOpen: false });
      for (const segment of this.#segments) await segment.prepare();
      syncPath(this.#options.directory);
      await this.#saveState({ isOpen: true });
    } catch (error) {
      throw this.#handleFailure(error);
    }
    this.#isReady = true;
  }

  /**
   * Puts changes on disk, all or none, after all earlier ones. Call it again only once the promise is settled.
   *
   * Rejects if the disk refuses the write, or while the data file does not accept earlier changes.
   */
  async append(changes: readonly Change[]): Promise<void> {
    if (this.#syncFailed) throw new Error(FAILED_SYNC);
    if (this.#active.bytes > MAX_SEGMENT_BYTES) await this.applied().catch(() => undefined);
    if (this.#failure) throw this.#failure.cause;
    this.#requireSpace(changes);
    if (!this.#isReady) await this.open();
    this.#appending = this.#active.append(changes);
    try {
      await this.#appending;
    } catch (error) {
      throw this.#handleFailure(error);
    } finally {
      this.#appending = undefined;
    }
    this.#applySoon();
  }

  /**
   * Resolves when all changes that were appended so far are in the data file.
   *
   * @throws StorageError `storage_failed` if it does not accept them
   */
  async applied(): Promise<void> {
    const last = this.#active.bytes > 0 ? this.#epoch : this.#epoch - 1;
    while (this.#applied < last) {
      this.#applying ??= this.#applyNext().finally(() => {
        this.#applying = undefined;
        this.#applySoon();
      });
      await this.#applying;
    }
  }

  /** Applies everything, closes the log in the data file and removes the files. If that fails, they stay for the next start. */
  async close(): Promise<void> {
    try {
      await this.applied();
      // The active segment has no confirmed changes. A record whose write failed must not count as newer than the data file.
      if (this.#isOpen !== false) await this.#saveState({ isOpen: false, applied: this.#epoch });
    } finally {
      clearTimeout(this.#timer);
      for (const segment of this.#segments) segment.release();
    }
    for (const { path } of this.#segments) rmSync(path, { force: true });
  }

  get #active(): LogSegment {
    return this.#segments[this.#epoch % 2 === 0 ? 0 : 1];
  }

  get #other(): LogSegment {
    return this.#segments[this.#epoch % 2 === 0 ? 1 : 0];
  }

  #listUnapplied(): LogSegment[] {
    return this.#segments.filter(({ epoch }) => epoch > this.#applied);
  }

  async #applyNext(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      const isSealed = this.#applied < this.#epoch - 1;
      if (!isSealed) await this.#seal();
      const { path, epoch, bytes } = this.#other;
      await this.#options.apply({ path, log: this.#options.state.log, epoch, bytes });
      this.#applied = epoch;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = writeError(error);
      throw this.#failure;
    } finally {
      this.#options.onApply?.();
    }
  }

  /** Makes the other segment active. */
  async #seal(): Promise<void> {
    const lastAppend = this.#appending;
    const next = this.#other;
    next.begin(this.#epoch + 1, this.#active);
    this.#epoch++;
    // A record that is being written still belongs to the sealed segment.
    await lastAppend?.catch(() => undefined);
  }

  /** Applies the active segment: at once if it is large, otherwise after some time. */
  #applySoon(): void {
    const isEmpty = this.#applied === this.#epoch - 1 && this.#active.bytes === 0;
    if (isEmpty || this.#applying) return;
    const apply = () => void this.applied().catch(() => undefined);
    if (this.#failure) this.#timer ??= setTimeout(apply, RETRY_MS).unref();
    else if (this.#active.bytes >= APPLY_AT_BYTES) apply();
    else this.#timer ??= setTimeout(apply, APPLY_AFTER_MS).unref();
  }

  async #saveState({ isOpen, applied = this.#applied }: { isOpen: boolean; applied?: number }): Promise<void> {
    // If the commit is not confirmed, the data file may have either state.
    this.#isOpen = undefined;
    await this.#options.commit([storeLogState({ log: this.#options.state.log, applied, isOpen })]);
    this.#isOpen = isOpen;
  }

  /** LMDB damages the memory of its process when the disk refuses a write, so a segment must fit before it is applied. */
  #requireSpace(changes: readonly Change[]): void {
    const count = this.#listUnapplied().reduce((sum, segment) => sum + segment.changes, changes.length);
    requireSpace(this.#dataFile, this.bytes + measureRecord(changes), count);
  }

  /** Returns the error to report. After a failed sync, the log accepts no more changes. */
  #handleFailure(error: unknown): Error {
    const { code, message } = error as Error & { code?: unknown };
    if (code !== "ERR_SYNC_FAILED") return error as Error;
    this.#syncFailed = true;
    // The data file is on the same disk. The disk may have refused pages of it too, which no sync reports if the process ends now.
    markFailedSync(this.#dataFile);
    return new Error(`${FAILED_SYNC} (${message})`, { cause: error });
  }
}
