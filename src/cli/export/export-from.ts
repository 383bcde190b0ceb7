import { basename, dirname } from "node:path";
import { readRows } from "../../batch-file/batch-rows.js";
import type { BatchOptionsInput } from "../../session/batch/batch-options.js";
import { isSessionsFile } from "../../session/stored/file/frames.js";
import type { FileAccess } from "../../support/file-access.js";
import { isS3Address } from "../../support/s3-address.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { readBytes } from "../../transcript/read-line.js";
import { openFileAccess, openTensors } from "../archive/open-file-access.js";
import { JOB_EXPORT } from "../rollout/job-export.js";
import { StorageCommandError } from "../storage/errors.js";
import { type BatchFacts, readBatchFacts } from "./batch-facts.js";
import { convertBatch } from "./convert-batch.js";
import type { ExportOptions } from "./export-options.js";
import { exportSessionsFile } from "./export-sessions-file.js";
import { findSessionsFile, sessionsFileOf } from "./sessions-file-path.js";
import type { WrittenExport } from "./write-export.js";

/** Options of an export from a file. */
export interface FromOptions extends Omit<ExportOptions, "storage"> {
  readonly from: string;
}

/**
 * Exports the sessions of a file: of a sessions file, of the sessions file beside a batch, or of the batch itself if there is none.
 * Options that are not set are those of the batch.
 *
 * @throws StorageCommandError `invalid_arguments` if the file cannot be read, or the options need more than it has
 * @throws SessionsFileError if a sessions file is damaged
 */
export async function exportFrom({ from, ...options }: FromOptions): Promise<WrittenExport> {
  const { out, sessions, state, split, ...rest } = options;
  const given = readGiven(rest);
  const files = await openFileAccess(from);
  if (await startsAsSessions(from, files)) return exportSessionsFile(from, { ...options, files }, given);
  const { facts, expected } = await readBatch(from);
  const sessionsFile = isS3Address(from)
    ? await files.find(dirname(from), sessionsFileOf(basename(from)))
    : findSessionsFile(from);
  if (sessionsFile === undefined) return convertBatch(from, readGiven({ ...rest, sessions, state, split }), out, files);
  return exportSessionsFile(sessionsFile, { ...options, files, expected }, { ...inherit(facts, given), ...given });
}

/** Returns the options that the user set. */
function readGiven(options: Readonly<Record<string, unknown>>): BatchOptionsInput {
  // Commander sets an option `--no-…` to true by default.
  const isGiven = ([name, value]: [string, unknown]) =>
    value !== undefined && !(name === "rowTensors" && value === true);
  return Object.fromEntries(Object.entries(options).filter(isGiven));
}

/** Returns the options of a batch's export without those that conflict with the options that the user set. */
function inherit({ concatReward, ...facts }: BatchFacts, given: BatchOptionsInput): BatchOptionsInput {
  const { style, layout } = { ...facts, ...given };
  const isConcat = style === "concat" && layout !== "tree";
  return {
    ...facts,
    ...(isConcat && concatReward && { concatReward }),
    onMismatch: JOB_EXPORT.on_mismatch,
    sharedTurns: JOB_EXPORT.shared_turns,
  };
}

async function startsAsSessions(path: string, files: FileAccess): Promise<boolean> {
  try {
    const file = await files.open(path);
    try {
      return isSessionsFile(await readBytes(file, 0, 16));
    } finally {
      await file.close();
    }
  } catch (cause) {
    const message = `--from ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new StorageCommandError("invalid_arguments", message, { cause });
  }
}

/** Reads the options of a batch's export, and its sessions. */
async function readBatch(path: string): Promise<{ facts: BatchFacts; expected: string[] }> {
  try {
    await using file = await openTensors(path);
    const facts = readBatchFacts(path, file.header);
    return { facts, expected: readRows(file.header).map(({ session_id }) => session_id) };
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error;
    const message = `--from ${path} must be a sessions file or a batch: ${error.message}`;
    throw new StorageCommandError("invalid_arguments", message, { cause: error });
  }
}
