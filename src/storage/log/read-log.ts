import { unusableFolderError } from "../errors.js";
import { DATA_FILE, LOG_FILES } from "../file-names.js";
import { type LogFile, readLogFile } from "./log-file.js";
import { GROWTH_BYTES, type LogRecord } from "./log-record.js";
import { LaterLogError, type LogState, type LogStateReader, readLogState } from "./log-state.js";

/** Records of one segment that are not in the data file. */
export interface UnappliedSegment {
  readonly epoch: number;
  readonly records: readonly LogRecord[];
}

/** The changes of a log that the data file does not have yet. */
export interface UnappliedLog {
  /** The state in the data file; undefined if the folder never had a log, or if the state is damaged. */
  readonly state: LogState | undefined;
  /** In the order in which they must be applied. If changes are missing, only those before them. */
  readonly segments: readonly UnappliedSegment[];
  /** Epoch of the last segment, also if its changes cannot be applied. If there is no segment, the epoch in the data file. */
  readonly newest: number;
  /** Why confirmed changes are missing; undefined if none is. */
  readonly damage: string | undefined;
}

/** Size of the changes of a log that the data file does not have yet. */
export interface LogSize {
  readonly records: number;
  /** With the space that each record takes up to the next one. */
  readonly bytes: number;
}

/** Ends the reason if the files of a folder do not fit together. */
const OTHER_MOMENT = `${DATA_FILE} and its log are of different moments; restore all of ${[DATA_FILE, ...LOG_FILES].join(", ")} from the same one`;

/**
 * Reads the changes of a folder's log that are not in its data file.
 *
 * A record that was being written at a crash may be incomplete. It was never confirmed and does not count. Since a record is written
 * only once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 *
 * @param storage reads the data file
 * @throws StorageError `storage_unusable` if a later version wrote the log
 */
export function readUnapplied(directory: string, storage: LogStateReader): UnappliedLog {
  const { state, damage } = tryReadState(directory, storage);
  const applied = state?.applied ?? 0;
  const files = LOG_FILES.map((name) => readLogFile(directory, name, state));
  const unapplied = files.filter(({ epoch }) => epoch > applied).sort((a, b) => a.epoch - b.epoch);
  const newest = unapplied.at(-1)?.epoch ?? applied;
  const mismatch = damage ?? findMismatch(files, state);
  if (mismatch !== undefined) return { state, segments: [], newest, damage: mismatch };
  const lost = findLostFile(files, { isOpen: state?.isOpen, hasUnapplied: unapplied.length > 0 });
  const intact = takeIntact(unapplied, applied + 1);
  return { state, newest, segments: intact.segments, damage: lost ?? intact.damage };
}

export function measureLog({ segments }: UnappliedLog): LogSize {
  return {
    records: segments.reduce((sum, { records }) => sum + records.length, 0),
    bytes: segments.reduce((sum, { records }) => sum + (records.at(-1)?.end ?? 0), 0),
  };
}

function tryReadState(directory: string, storage: LogStateReader): { state?: LogState | undefined; damage?: string } {
  try {
    return { state: readLogState(storage) };
  } catch (error) {
    if (error instanceof LaterLogError)
      throw unusableFolderError(directory, "has a write-ahead log of a later version of Rolltape", error);
    return { damage: (error as Error).message };
  }
}

/** Returns why the files do not belong to the data file as it is; undefined if they can. */
function findMismatch(files: readonly LogFile[], state: LogState | undefined): string | undefined {
  const describe = (file: LogFile | undefined, reason: string) => file && `${file.name} ${reason}: ${OTHER_MOMENT}`;
  const foreign = files.find(({ isForeign }) => isForeign);
  if (foreign || !state) return describe(foreign, "belongs to another data file");
  const { applied, isOpen } = state;
  // A closed log has no changes that the data file lacks.
  const newer = isOpen === false ? files.find(({ epoch }) => epoch > applied) : undefined;
  // An open log begins with empty files, and a file is reused for the segment after the next one.
  const older = isOpen === true ? files.find(({ firstEpoch: e }) => e > 0 && e < applied - 1) : undefined;
  return (
    describe(newer, `has newer changes than ${DATA_FILE}`) ?? describe(older, `has older changes than ${DATA_FILE}`)
  );
}

/** Returns which file lacks content that it must have; undefined if none does. */
function findLostFile(
  files: readonly LogFile[],
  { isOpen, hasUnapplied }: { readonly isOpen: boolean | undefined; readonly hasUnapplied: boolean },
): string | undefined {
  const missing = files.find(({ exists }) => !exists);
  // An earlier version did not store whether its log was open.
  const isNeeded = isOpen ?? hasUnapplied;
  if (missing && isNeeded) return `${missing.name} is missing`;
  const short = isOpen === true ? files.find(({ size }) => size < GROWTH_BYTES) : undefined;
  return short && `${short.name} was truncated`;
}

/** Returns the segments from `epoch` on, up to the first one of which confirmed changes are missing. */
function takeIntact(files: readonly LogFile[], epoch: number): Pick<UnappliedLog, "segments" | "damage"> {
  const segments: UnappliedSegment[] = [];
  for (const [i, file] of files.entries()) {
    if (file.epoch !== epoch + i) {
      return { segments, damage: `segment ${epoch + i} of the log is missing: ${OTHER_MOMENT}` };
    }
    // The next segment knows where this one ends. The write of a record after that end failed, so it was never confirmed.
    const end = files[i + 1]?.records[0]?.before ?? file.end;
    const records = file.records.filter((record) => record.end <= end);
    segments.push({ epoch: file.epoch, records });
    if (file.isDamaged || file.end < end) return { segments, damage: `${file.name} is damaged at byte ${file.end}` };
  }
  return { segments, damage: undefined };
}
