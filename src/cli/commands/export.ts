import type { StoredProblem } from "../../session/stored/stored-problem.js";
import { isS3Address } from "../../support/s3-address.js";
import { countNoun } from "../count-noun.js";
import { EXIT_FAILURE } from "../exit.js";
import { exportFrom } from "../export/export-from.js";
import type { ExportOptions } from "../export/export-options.js";
import { exportStorage } from "../export/export-storage.js";
import type { WrittenExport } from "../export/write-export.js";
import { formatBytes } from "../format-bytes.js";
import { requireWritable } from "../preflight/preflight.js";
import { StorageCommandError } from "../storage/errors.js";
import { ProblemList } from "../storage/problems.js";

/** `rolltape export`: writes the sessions that a server left in its storage folder, or those of a file, as a batch. */
export async function exportSessions(options: ExportOptions): Promise<void> {
  const { storage, from, out, ...others } = options;
  await requireWritable(out);
  if (from !== undefined) return reportWritten(out, await exportFrom({ ...others, from, out }));
  if (storage === undefined)
    throw new StorageCommandError("invalid_arguments", "one of --storage and --from is required");
  if (!isS3Address(storage)) {
    const { problems, ...written } = await exportStorage({ ...others, storage, out });
    reportWritten(out, written);
    return reportProblems(problems, "; `rolltape storage verify --all` lists them");
  }
  // Imported late, because it loads the AWS SDK.
  const { exportArchive } = await import("../export/export-archive.js");
  const { problems, ...written } = await exportArchive({ ...others, storage, out });
  reportWritten(out, written);
  reportProblems(problems);
}

/** Lists what was left out because it is damaged. */
function reportProblems(problems: readonly StoredProblem[], hint?: string): void {
  if (problems.length === 0) return;
  process.stderr.write(`rolltape: ${countNoun(problems.length, "problem")}, not exported:\n`);
  const list = new ProblemList((line) => process.stderr.write(line));
  for (const problem of problems) list.add(problem);
  list.end(hint);
  process.exitCode = EXIT_FAILURE;
}

function reportWritten(out: string, { sessions, rows, bytes }: WrittenExport): void {
  const exported = `${countNoun(sessions, "session")} in ${countNoun(rows, "row")}`;
  process.stdout.write(`exported ${exported} to ${out} (${formatBytes(bytes)})\n`);
}
