import { tmpdir } from "node:os";
import type { BatchFields } from "../../client/admin-client.js";
import type { BatchWriteError } from "./batch-file.js";
import { BatchWriter } from "./batch-writer.js";
import type { JobSetup } from "./job-setup.js";
import type { BatchExportError } from "./survivors.js";

/** Seconds for which writing a batch is retried if there is no terminal, and so nobody who could free space. */
const WRITE_WAIT_SECONDS = 60;

/** Creates the writer of a job's batches from the job's options. */
export function createBatchWriter(
  { config, options }: JobSetup,
  signal: AbortSignal,
  tell: (message: string) => void,
): BatchWriter {
  return new BatchWriter({
    waitSeconds: options.writeWait ?? (process.stderr.isTTY ? Infinity : WRITE_WAIT_SECONDS),
    // Shared memory comes last: it is lost when the machine restarts, but outlives the job.
    rescueFolders: [tmpdir(), config.server.shared_memory_directory],
    // The job's own proxy ends with the job, and the sessions with it.
    untilSaved: options.proxy === undefined,
    signal,
    tell,
  });
}

export interface UnwrittenBatch {
  readonly sessionIds: readonly string[];
  readonly fields: BatchFields;
}

/** Describes a batch that no folder accepted, and how to export its sessions again if a proxy outlives the job. */
export function describeUnwritten(
  { message, file }: BatchWriteError,
  { proxy, options }: Pick<JobSetup, "proxy" | "options">,
  { sessionIds, fields }: UnwrittenBatch,
): string {
  if (options.proxy === undefined) return `${message}, nor anywhere else; its ${sessionIds.length} sessions are lost`;
  const command = writeExportCommand({ url: proxy.url, sessionIds, fields, file });
  const time = "for an hour, and then until they expire (rollout.agent.session_timeout_seconds of the proxy)";
  return `${message}, nor anywhere else. Its sessions can be exported again ${time}:\n${command}`;
}

/** Describes a batch that the proxy did not export, and how to export its sessions if the proxy outlives the job. */
export function describeUnexported(
  { message, sessionIds }: BatchExportError,
  { proxy, options }: Pick<JobSetup, "proxy" | "options">,
  { fields, file }: { readonly fields: BatchFields; readonly file: string },
): string {
  if (options.proxy === undefined) return `${message} Its ${sessionIds.length} sessions are lost`;
  const command = writeExportCommand({ url: proxy.url, sessionIds, fields, file });
  const time = "until they expire (rollout.agent.session_timeout_seconds of the proxy)";
  return `${message} Its ${sessionIds.length} sessions can be exported again ${time}:\n${command}`;
}

interface ExportAgain {
  /** Address of the proxy that has the sessions. */
  readonly url: string;
  readonly sessionIds: readonly string[];
  readonly fields: BatchFields;
  readonly file: string;
}

/** Returns a shell command that exports these sessions again. */
function writeExportCommand({ url, sessionIds, fields, file }: ExportAgain): string {
  const body = JSON.stringify({ session_ids: sessionIds, ...fields });
  // The body is on standard input, because thousands of ids are too long for an argument.
  return [
    `curl --fail -o ${quote(file)} -H "Authorization: Bearer $ROLLTAPE_ADMIN_API_KEY" \\`,
    `  -H 'content-type: application/json' --data-binary @- ${quote(`${url.replace(/\/+$/, "")}/export_batch`)} <<'END'`,
    body,
    "END",
  ].join("\n");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
