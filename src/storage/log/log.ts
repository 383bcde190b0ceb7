import { truncateSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { native } from "../../native/addon.js";
import type { NativeLogFile } from "../../native/contract.js";
import { asBuffer, type Change, TABLES } from "../changes.js";
import { indexName, segmentName } from "../file-names.js";
import { readFreeBytes, requireSpace, syncPath } from "../file-system.js";
import { ChangeList, type ListedChange } from "./change-list.js";
import { MAX_AT_BYTES } from "./log-position.js";
import { type Manifest, writeManifest } from "./manifest.js";
import type { OpenedLog, UnlistedSegment } from "./open-log.js";
import { readIndex, scanFile, writeIndex } from "./read-segment.js";
import { FIRST_CHANGE_AT, measureChange, measureRecord } from "./record.js";
import type { Segment, SegmentSet } from "./segment-set.js";

/** The segment that records are appended to. */
interface ActiveSegment extends UnlistedSegment {
  readonly file: NativeLogFile;
  /** Where the records of the previous segment end. */
  readonly before: number;
  /** Number of its records. */
  records: number;
}

/** The oldest segment while its values are copied. */
interface CleanedSegment {
  readonly segment: Segment;
  readonly changes: Iterator<ListedChange>;
}

/** A segment gets a successor when it has reached this size. */
const SEGMENT_BYTES = 2 ** 26;
/** A log is cleaned if it is larger than twice the size of its values plus these bytes. */
const SPARE_BYTES = 2 ** 20;
/** A log is also cleaned if it has more segments than twice the number that its values fill plus these, for example after many starts. */
const SPARE_SEGMENTS = 16;
/** Bytes of the oldest segment to copy or skip after a record: these, or twice the size of the record if that is more. */
const COPY_BYTES = 2 ** 18;
/** Maximum of what is copied at a time, which takes a few milliseconds. */
const MAX_COPY_BYTES = 2 ** 22;
/** On a disk that is nearly full, each byte that was replaced or removed costs at most this many bytes of copies. */
const MAX_COPIES_PER_BYTE = 8;
/** Time between copies while nothing is recorded. */
const IDLE_COPY_MS = 20;
/** Minimum age of the active segment before it gets a successor only so that it can be cleaned. */
const MIN_SEGMENT_MS = 200;
/** Time until a copy that failed is tried again, for example because the disk is full. */
const RETRY_MS = 1000;

/**
 * The log of a folder: one write puts the changes of a commit on disk. They are stored nowhere else.
 *
 * New records are appended to the active segment. Once less than half of the log is values, the oldest segment is cleaned: its values are
 * copied to the active segment, a few after each record, and then it is removed. Each byte that was replaced or removed costs at most one
 * byte of copies.
 *
 * Because only the oldest segment is removed, all segments between the first and the last one exist, and a change always comes after what
 * it replaced or removed. So a missing segment is noticed, and a removed value cannot come back.
 */
export class Log {
  readonly #directory: string;
  readonly #synced: boolean;
  readonly #set: SegmentSet;
  #manifest: Manifest;
  #active: ActiveSegment | undefined;
  #activeSince = 0;
  /** Complete segments that have no index yet. */
  #unlisted: UnlistedSegment[];
  /** Changes of the last record before a crash, which may not have been confirmed. The next record has them again. */
  #unconfirmed: readonly Change[];
  #leftovers: readonly string[];
  #cleaned: CleanedSegment | undefined;
  #copyTimer: NodeJS.Timeout | undefined;
  #isCopying = false;
  /** Time of the next attempt, after one that failed. */
  #copyAfter = 0;
  /** The last work on the files. Only one runs at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** @param synced false: changes are not forced to the disk */
  constructor(directory: string, { manifest, set, unlisted, unconfirmed, leftovers }: OpenedLog, synced: boolean) {
    this.#directory = directory;
    this.#synced = synced;
    this.#set = set;
    this.#manifest = manifest;
    this.#unlisted = [...unlisted];
    this.#leftovers = leftovers;
    this.#unconfirmed = unconfirmed ? readNewest(set, unconfirmed) : [];
  }

  /**
   * Puts changes on disk, all or none, after all earlier ones.
   *
   * If the disk does not confirm a record, it is unknown which parts of it are on disk, and the page cache may differ from the disk. The
   * segment then ends before the record, and the same changes go to another segment when the caller tries again.
   */
  async append(changes: readonly Change[]): Promise<void> {
    const bytes = measureRecord(changes);
    try {
      await this.#alone(async () => {
        requireSpace(this.#directory, bytes + (this.#readReserve() ?? 0));
        await this.#write(changes);
      });
    } finally {
      // Also if the disk is full: copies may free space.
      this.#copySoon(bytes);
    }
  }

  /** Writes the index of the last segment, so that the next start need not read the segment. If that fails, the next start reads it. */
  close(): Promise<void> {
    clearTimeout(this.#copyTimer);
    this.#closed = true;
    return this.#alone(async () => {
      const hasWritten = this.#activeSince > 0;
      if (!hasWritten || this.#unconfirmed.length > 0) return;
      this.#giveUpActive();
      await this.#listComplete();
      const last = [...this.#set.segments].at(-1);
      await this.#saveManifest({ end: last?.end });
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #write(added: readonly Change[]): Promise<void> {
    const changes = [...this.#unconfirmed, ...added];
    const bytes = measureRecord(changes);
    const end = this.#active?.segment.end ?? 0;
    if (!this.#active || end >= SEGMENT_BYTES || end + bytes > MAX_AT_BYTES) await this.#beginSegment();
    const active = this.#active as ActiveSegment;
    const { segment, file, records: number, before } = active;
    const at = segment.end;
    try {
      await file.append(
        { at, number, before },
        Uint8Array.from(changes, ({ table }) => TABLES.indexOf(table)),
        changes.map(({ key }) => key),
        changes.map(({ value }) => value),
      );
    } catch (error) {
      if ((error as { code?: unknown }).code === "ERR_SYNC_FAILED") this.#giveUpActive();
      throw error;
    }
    let next = at + FIRST_CHANGE_AT;
    for (const { table, key, value } of changes) {
      const change = { table, key: asBuffer(key), at: next, valueLength: value?.length };
      next = active.changes.add(table, key, next, value?.length);
      this.#set.apply(segment, change);
    }
    segment.end = at + bytes;
    active.records++;
    this.#unconfirmed = [];
    // If this fails, it is tried again after the next record.
    if (this.#unlisted.length > 0) await this.#listComplete().catch(() => undefined);
  }

  /** Ends the active segment: no more records are appended to it. */
  #giveUpActive(): void {
    if (!this.#active) return;
    this.#active.file.release();
    this.#unlisted.push(this.#active);
    this.#active = undefined;
  }

  /**
   * Writes the indexes of complete segments, and gives back the space that was reserved for further records. An index says that its changes
   * are confirmed. So if changes are unconfirmed, call it only when the record that repeats them is on disk.
   */
  async #listComplete(): Promise<void> {
    const { log } = this.#manifest;
    for (const { segment, changes } of this.#unlisted) {
      await writeIndex(this.#directory, { log, segment: segment.number }, { changes, end: segment.end }, this.#synced);
      truncateSync(segment.path, segment.end);
    }
    this.#unlisted = [];
  }

  async #beginSegment(): Promise<void> {
    this.#giveUpActive();
    await this.#remove(this.#leftovers);
    this.#leftovers = [];
    const number = this.#manifest.last + 1;
    // A folder with segments but no manifest is refused as damaged.
    if (this.#set.count === 0) await this.#saveManifest({});
    const path = join(this.#directory, segmentName(number));
    const file = openFile(path, { log: this.#manifest.log, segment: number, synced: this.#synced });
    try {
      if (this.#synced) await syncPath(this.#directory);
      await this.#saveManifest({ last: number, end: undefined });
    } catch (error) {
      file.release();
      throw error;
    }
    const before = [...this.#set.segments].at(-1)?.end ?? 0;
    const segment = this.#set.add(number, path);
    this.#active = { segment, file, before, changes: new ChangeList(), records: 0 };
    this.#activeSince = performance.now();
  }

  async #saveManifest(changed: Partial<Manifest>): Promise<void> {
    const manifest = { ...this.#manifest, ...changed };
    await writeManifest(this.#directory, manifest, this.#synced);
    this.#manifest = manifest;
  }

  #isWorthCopying(): boolean {
    if (this.#closed) return false;
    const { fileBytes, usedBytes } = this.#set.readSize();
    const hasSpare = fileBytes > 2 * usedBytes + SPARE_BYTES;
    const reserve = hasSpare ? undefined : this.#readReserve();
    const mustSpare = reserve !== undefined && readFreeBytes(this.#directory) < reserve + SEGMENT_BYTES;
    return hasSpare || mustSpare || this.#set.count > SPARE_SEGMENTS + (2 * usedBytes) / SEGMENT_BYTES;
  }

  /**
   * Returns the space that is kept free for the copies of the oldest segment, which must all be there before it can go; undefined if copies
   * would free too little to be worth their time on a disk that is nearly full.
   */
  #readReserve(): number | undefined {
    const [oldest] = this.#set.segments;
    const { fileBytes, usedBytes } = this.#set.readSize();
    const hasGarbage = fileBytes - usedBytes > SPARE_BYTES + usedBytes / MAX_COPIES_PER_BYTE;
    return hasGarbage ? oldest?.live : undefined;
  }

  /** Copies values of the oldest segment after the work that is queued now. */
  #copySoon(recorded: number): void {
    if (this.#isCopying || !this.#isWorthCopying() || performance.now() < this.#copyAfter) return;
    this.#isCopying = true;
    clearTimeout(this.#copyTimer);
    const copy = async () => {
      try {
        await this.#copyOldest(Math.min(Math.max(COPY_BYTES, 2 * recorded), MAX_COPY_BYTES));
        if (this.#isWorthCopying()) this.#copyTimer = setTimeout(() => this.#copySoon(0), IDLE_COPY_MS).unref();
      } catch {
        // The next attempt begins again, and finds what was copied so far in its new place.
        this.#cleaned = undefined;
        this.#copyAfter = performance.now() + RETRY_MS;
        this.#copyTimer = setTimeout(() => this.#copySoon(0), RETRY_MS + 1).unref();
      } finally {
        this.#isCopying = false;
      }
    };
    void this.#alone(copy);
  }

  async #copyOldest(bytes: number): Promise<void> {
    const cleaned = (this.#cleaned ??= await this.#beginCleaning());
    if (!cleaned) return;
    const { copies, isLast } = this.#takeCopies(cleaned, bytes);
    if (copies.length > 0 || this.#unconfirmed.length > 0) await this.#write(copies);
    if (isLast) await this.#removeOldest();
  }

  /** Returns undefined if the oldest segment is the active one and is too new to get a successor. */
  async #beginCleaning(): Promise<CleanedSegment | undefined> {
    const [oldest] = this.#set.segments;
    if (!oldest) return undefined;
    if (oldest === this.#active?.segment) {
      if (performance.now() - this.#activeSince < MIN_SEGMENT_MS) return undefined;
      await this.#beginSegment();
    }
    const id = { log: this.#manifest.log, segment: oldest.number };
    const unlisted = this.#unlisted.find(({ segment }) => segment === oldest);
    const { changes } = unlisted ?? readIndex(this.#directory, id) ?? scanFile(this.#directory, id, oldest.end);
    return { segment: oldest, changes: changes[Symbol.iterator]() };
  }

  #takeCopies({ segment, changes }: CleanedSegment, bytes: number): { copies: Change[]; isLast: boolean } {
    const copies: Change[] = [];
    if (segment.live === 0) return { copies, isLast: true };
    for (let size = 0; size < bytes; ) {
      const next = changes.next();
      if (next.done) return { copies, isLast: true };
      // Skipping a change takes time too, and a segment can have a million of them.
      size += measureChange(next.value.key.length);
      if (!this.#set.isNewest(segment, next.value)) continue;
      const value = this.#set.readListed(segment, next.value);
      copies.push({ table: next.value.table, key: next.value.key, value });
      size += value.length;
    }
    return { copies, isLast: false };
  }

  /** Removes the segments before the first one that has values. */
  async #removeOldest(): Promise<void> {
    this.#cleaned = undefined;
    const empty: Segment[] = [];
    for (const segment of this.#set.segments) {
      if (segment.live > 0 || segment === this.#active?.segment) break;
      empty.push(segment);
    }
    const first = empty.at(-1);
    if (!first) return;
    await this.#saveManifest({ first: first.number + 1 });
    for (const segment of empty) this.#set.remove(segment);
    this.#unlisted = this.#unlisted.filter(({ segment }) => !empty.includes(segment));
    await this.#remove(empty.flatMap(({ number }) => [segmentName(number), indexName(number)]));
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#directory, name), { force: true, recursive: true });
  }
}

function openFile(path: string, options: ConstructorParameters<typeof native.LogFile>[1]): NativeLogFile {
  try {
    return new native.LogFile(path, options);
  } catch (error) {
    // The message of the addon begins with the name of its parameter.
    const why = (error as Error).message.split(": ").at(-1);
    throw new Error(`${basename(path)} cannot be opened for writing: ${why}`, { cause: error });
  }
}

/** Reads those changes of a record that no later change has replaced. */
function readNewest(set: SegmentSet, { segment, changes }: UnlistedSegment): Change[] {
  return [...changes].flatMap((change): Change[] => {
    const { table, key, valueLength } = change;
    const isNewest = valueLength === undefined ? !set.has(table, key) : set.isNewest(segment, change);
    return isNewest ? [{ table, key: Buffer.from(key), value: set.get(table, key) }] : [];
  });
}
