import { LOG_FILES } from "../file-names.js";
import { type LogFile, readLogFile } from "./log-file.js";
import type { LogRecord } from "./log-record.js";
import { type LogState, type LogStateReader, readLogState } from "./log-state.js";

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

/**
 * Reads the changes of a folder's log that are not in its data file.
 *
 * A record that was being written at a crash may be incomplete. It was never confirmed and does not count. Since a record is written
 * only once the one before it is on disk, a record that has a successor is complete: if it is not, the file is damaged.
 *
 * @param storage reads the data file
 */
export function readUnapplied(directory: string, storage: LogStateReader): UnappliedLog {
  const { state, damage } = tryReadState(storage);
  const applied = state?.applied ?? 0;
  const files = LOG_FILES.map((name) => readLogFile(directory, name, state));
  const unapplied = files.filter(({ epoch }) => epoch > applied).sort((a, b) => a.epoch - b.epoch);
  const newest = unapplied.at(-1)?.epoch ?? applied;
  const refuse = (reason: string) => ({ state, segments: [], newest, damage: reason });
  if (damage !== undefined) return refuse(damage);
  const foreign = files.find(({ isForeign }) => isForeign);
  if (foreign) return refuse(`${foreign.name} belongs to another data file`);
  const missing = files.find(({ exists }) => !exists);
  if (missing && unapplied.length > 0) return refuse(`${missing.name} is missing`);
  return { state, newest, ...takeIntact(unapplied, applied + 1) };
}

function tryReadState(storage: LogStateReader): { state?: LogState | undefined; damage?: string } {
  try {
    return { state: readLogState(storage) };
  } catch (error) {
    return { damage: (error as Error).message };
  }
}

/** Returns the segments from `epoch` on, up to the first one of which confirmed changes are missing. */
function takeIntact(files: readonly LogFile[], epoch: number): Pick<UnappliedLog, "segments" | "damage"> {
  const segments: UnappliedSegment[] = [];
  for (const [i, file] of files.entries()) {
    if (file.epoch !== epoch + i) return { segments, damage: `segment ${epoch + i} of the log is missing` };
    // The next segment knows where this one ends. The write of a record after that end failed, so it was never confirmed.
    const end = files[i + 1]?.records[0]?.before ?? file.end;
    const records = file.records.filter((record) => record.end <= end);
    segments.push({ epoch: file.epoch, records });
    if (file.isDamaged || file.end < end) return { segments, damage: `${file.name} is damaged at byte ${file.end}` };
  }
  return { segments, damage: undefined };
}
