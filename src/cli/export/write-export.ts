import { packBatch } from "../../session/batch/batch.js";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import type { BatchOptions } from "../../session/batch/batch-options.js";
import { SessionError } from "../../session/errors.js";
import type { Session } from "../../session/session.js";
import { DamagedSessionError } from "../../session/stored/damaged-session-error.js";
import { writeBatchFile } from "../rollout/batch-file.js";
import { StorageCommandError } from "../storage/errors.js";
import { toFlag } from "./export-options.js";
import { writeImageFiles } from "./image-files.js";

/** A batch that was written. */
export interface WrittenExport {
  readonly sessions: number;
  readonly rows: number;
  readonly bytes: number;
}

/** Packs sessions and writes the batch to `out`. */
export async function writeExport(
  out: string,
  sessions: readonly Session[],
  options: BatchOptions,
  origin: BatchOrigin | undefined,
): Promise<WrittenExport> {
  using batch = await packBatch(sessions, options, { origin });
  await writeImageFiles(out, batch.imageFiles);
  await writeBatchFile(out, batch.bytes);
  return { sessions: sessions.length, rows: batch.rows.length, bytes: batch.byteLength };
}

/**
 * Runs an export and spells the options in its errors as flags.
 *
 * @throws StorageCommandError `invalid_arguments` if the options conflict with each other or with the sessions
 */
export async function describingConflicts<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SessionError) || error instanceof DamagedSessionError) throw error;
    throw new StorageCommandError("invalid_arguments", error.spelled(toFlag), { cause: error });
  }
}
