import { existsSync } from "node:fs";
import { join } from "node:path";

/** Lists the segments of the folder. A folder without it has no storage. */
export const MANIFEST_FILE = "manifest";
/** The next manifest, until it is on disk. */
export const NEW_MANIFEST_FILE = `${MANIFEST_FILE}.new`;
export const LOCK_FILE = "rolltape.lock";
/** A compaction writes its copy there. */
export const COPY_FOLDER = "compact.new";
/** Ends the names of files that a compaction with damage keeps. */
export const DAMAGED_SUFFIX = ".damaged";
/** The storage file of earlier versions. A folder with it is refused. */
export const EARLIER_FILE = "data.mdb";
/** Why a folder with {@link EARLIER_FILE} is refused. */
export const OF_EARLIER_VERSION = `has sessions of an earlier version of Rolltape (${EARLIER_FILE}). Export them with that version, or use another folder`;

/** Name of a segment of the log. */
export const segmentName = (number: number): string => `segment-${String(number).padStart(8, "0")}.log`;
/** Name of the index of a segment: the list of its changes. */
export const indexName = (number: number): string => `segment-${String(number).padStart(8, "0")}.index`;

const SEGMENT_NAME = /^segment-(\d{8,})\.(?:log|index)$/;

/** Returns the number of the segment to which a file belongs; undefined if it belongs to none. */
export function readSegmentNumber(name: string): number | undefined {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns true if a server stored something in the folder. */
export function hasStorage(directory: string): boolean {
  return existsSync(join(directory, MANIFEST_FILE));
}

/** Returns true if a name is that of a file of a storage. */
export function isOwnFile(name: string): boolean {
  return ["segment-", MANIFEST_FILE, "rolltape."].some((start) => name.startsWith(start));
}
