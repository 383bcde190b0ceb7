import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unusableFolderError } from "../errors.js";
import {
  COPY_FOLDER,
  EARLIER_FILE,
  indexName,
  MANIFEST_FILE,
  OF_EARLIER_VERSION,
  readSegmentNumber,
  segmentName,
} from "../file-names.js";
import type { ChangeList } from "./change-list.js";
import { LaterStorageError, type Manifest, newManifest, readManifest } from "./manifest.js";
import { readBefore, readIndex, readLogId, type SegmentContent, scanFile } from "./read-segment.js";
import { type Segment, SegmentSet } from "./segment-set.js";

/** Counts of the records that a start read from segments without an index, usually the last segment after a crash. */
export interface Recovered {
  readonly records: number;
  readonly bytes: number;
  /** Size of the record that was being written, which was never confirmed. */
  readonly incomplete: number;
}

/** A segment without an index. */
export interface UnlistedSegment {
  readonly segment: Segment;
  readonly changes: ChangeList;
}

/** The log of a folder. */
export interface OpenedLog {
  readonly manifest: Manifest;
  readonly set: SegmentSet;
  readonly unlisted: readonly UnlistedSegment[];
  /** Segment and changes of the last record, if a crash may have come before it was confirmed. */
  readonly unconfirmed: UnlistedSegment | undefined;
  readonly recovered: Recovered;
  /** Why confirmed changes are missing; empty if none is. */
  readonly damage: readonly string[];
  /** Names of files that a crash left and that are not part of the log. */
  readonly leftovers: readonly string[];
}

export interface OpenLogOptions {
  /** Maximum number of files that are open at a time. */
  readonly maxFiles: number;
  /** Called after each segment with the number of segments read so far and the number of all. */
  readonly onSegment?: ((read: number, total: number) => void) | undefined;
}

/** Ends the reason if the files of a folder do not fit together. */
const OTHER_MOMENT = "the files of the folder are of different moments; restore all of them from the same one";

/**
 * Reads which values the log of a folder has. Changes nothing in the folder.
 *
 * @throws StorageError `storage_unusable` if another version wrote the folder
 */
export function openLog(directory: string, { maxFiles, onSegment }: OpenLogOptions): OpenedLog {
  const names = readdirSync(directory);
  if (names.includes(EARLIER_FILE)) throw unusableFolderError(directory, OF_EARLIER_VERSION);
  const numbers = [...new Set(names.flatMap((name) => readSegmentNumber(name) ?? []))].sort((a, b) => a - b);
  const damage: string[] = [];
  const manifest = findManifest(directory, names, numbers, damage);
  const set = new SegmentSet(maxFiles);
  const unlisted: UnlistedSegment[] = [];
  let unconfirmed: UnlistedSegment | undefined;
  let recovered: Recovered = { records: 0, bytes: 0, incomplete: 0 };
  for (let number = manifest.first; number <= manifest.last; number++) {
    const content = readSegment(directory, manifest, number);
    damage.push(...content.damage);
    const segment = set.add(number, join(directory, segmentName(number)), content.end);
    for (const change of content.changes) set.apply(segment, change);
    if (!content.isListed) {
      unlisted.push({ segment, changes: content.changes });
      recovered = addRecovered(recovered, content);
    }
    if (content.last) {
      // The next record repeats its changes, so the segment ends before it.
      for (const change of content.last.changes) set.apply(segment, change);
      unconfirmed = { segment, changes: content.last.changes };
      segment.end = content.last.at;
    }
    onSegment?.(number - manifest.first + 1, manifest.last - manifest.first + 1);
  }
  damage.push(...findNewer(directory, manifest, numbers));
  const leftovers = numbers
    .filter((number) => number < manifest.first || number > manifest.last)
    .flatMap((number) => [segmentName(number), indexName(number)]);
  if (names.includes(COPY_FOLDER)) leftovers.push(COPY_FOLDER);
  return { manifest, set, unlisted, unconfirmed, recovered, damage, leftovers };
}

function readSegment(directory: string, { log, last, end: closedAt }: Manifest, segment: number): SegmentContent {
  const id = { log, segment };
  const listed = readIndex(directory, id);
  if (segment < last) {
    return listed ?? scanFile(directory, id, readBefore(directory, { log, segment: segment + 1 }));
  }
  if (listed && (closedAt === undefined || closedAt === listed.end)) return listed;
  return scanFile(directory, id, closedAt);
}

function addRecovered({ records, bytes }: Recovered, { scanned, end, incomplete }: SegmentContent): Recovered {
  return { records: records + scanned, bytes: bytes + end, incomplete };
}

/** Reads the manifest. If it is damaged, or missing although there are segments, adds the damage and guesses it from the segments. */
function findManifest(
  directory: string,
  names: readonly string[],
  numbers: readonly number[],
  damage: string[],
): Manifest {
  const hasManifest = names.includes(MANIFEST_FILE);
  const [first, last] = [numbers.at(0), numbers.at(-1)];
  if (!hasManifest && first === undefined) return newManifest();
  try {
    if (hasManifest) return readManifest(directory);
    damage.push(`${MANIFEST_FILE} is missing`);
  } catch (error) {
    if (error instanceof LaterStorageError) {
      throw unusableFolderError(
        directory,
        "was written by another version of Rolltape, which this one cannot read",
        error,
      );
    }
    damage.push(`${MANIFEST_FILE} is damaged: ${(error as Error).message}`);
  }
  const guessed = newManifest();
  if (first === undefined || last === undefined) return guessed;
  return { ...guessed, first, last, log: findLogId(directory, numbers) ?? guessed.log };
}

/** Returns the id of the log from the first segment that begins like a record. */
function findLogId(directory: string, numbers: readonly number[]): Buffer | undefined {
  for (const number of numbers) {
    const id = readLogId(join(directory, segmentName(number)));
    if (id) return id;
  }
  return undefined;
}

/** Returns the damage if a segment after the manifest's last one has a record of this log. */
function findNewer(directory: string, { log, last }: Manifest, numbers: readonly number[]): string[] {
  const newer = numbers.filter((number) => number > last);
  const found = newer.find((segment) => readBefore(directory, { log, segment }) !== undefined);
  return found === undefined ? [] : [`${segmentName(found)} is newer than ${MANIFEST_FILE}: ${OTHER_MOMENT}`];
}
