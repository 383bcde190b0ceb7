import { tmpdir } from "node:os";
import type { BatchFields } from "../client/admin-client.js";
import type { BatchFileError } from "./batch-file.js";
import { BatchWriter } from "./batch-writer.js";
import { exportAgainCommand } from "./export-again.js";
import type { Job } from "./rollout-job.js";

/** How long a batch that cannot be written is tried again if nobody is at a terminal to make room. */
const WRITE_WAIT_SECONDS = 60;

/** Returns what writes the batches of a job, as its options say. */
export function createBatchWriter(
  { config, options }: Job,
  signal: AbortSignal,
  tell: (message: string) => void,
): BatchWriter {
  return new BatchWriter({
    waitSeconds: options.writeWait ?? (process.stderr.isTTY ? Infinity : WRITE_WAIT_SECONDS),
    // Shared memory is the last resort: what is there outlives the job too.
    rescueFolders: [tmpdir(), config.rollout.agent.shared_memory_directory],
    // A proxy of the job's own ends with it.
    untilSaved: options.proxy === undefined,
    signal,
    tell,
  });
}

export interface UnwrittenBatch {
  readonly sessionIds: readonly string[];
  readonly fields: BatchFields;
}

/** Says of a batch that no folder took how its sessions can be exported again, if they can. */
export function describeUnwritten(
  { message, file }: BatchFileError,
  { proxy, options }: Pick<Job, "proxy" | "options">,
  { sessionIds, fields }: UnwrittenBatch,
): string {
  if (options.proxy === undefined) return `${message}, nor anywhere else; its ${sessionIds.length} sessions are lost`;
  const command = exportAgainCommand({ url: proxy.url, sessionIds, fields, file });
  const time = "as long as the proxy keeps them (its rollout.agent.export_retention_seconds and _bytes)";
  return `${message}, nor anywhere else. Its sessions can be exported again ${time}:\n${command}`;
}
