import { EXIT_FAILURE } from "../exit.js";
import { formatBytes } from "../format-bytes.js";
import { requireWritable } from "../preflight/preflight.js";
import type { ExportOptions } from "../storage/export-options.js";
import { exportStorage } from "../storage/export-storage.js";
import { describeProblem } from "../storage/problems.js";

/** `rolltape export`: writes the sessions that a server left in its storage folder to a file. */
export async function exportSessions(options: ExportOptions): Promise<void> {
  await requireWritable(options.out);
  const { sessions, rows, bytes, problems } = await exportStorage(options);
  process.stdout.write(`exported ${sessions} sessions in ${rows} rows to ${options.out} (${formatBytes(bytes)})\n`);
  if (problems.length === 0) return;
  process.stderr.write(
    `rolltape: ${problems.length} damaged, not exported:\n${problems.map(describeProblem).join("")}`,
  );
  process.exitCode = EXIT_FAILURE;
}
