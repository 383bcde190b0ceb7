import { countNoun } from "../count-noun.js";
import { EXIT_FAILURE } from "../exit.js";
import { formatBytes } from "../format-bytes.js";
import { requireWritable } from "../preflight/preflight.js";
import { exportStorage } from "../storage/export-storage.js";
import { ProblemList } from "../storage/problems.js";
/** `rolltape export`: writes the sessions that a server left in its storage folder to a file. */
export async function exportSessions(options) {
    await requireWritable(options.out);
    const { sessions, rows, bytes, problems } = await exportStorage(options);
    const exported = `${countNoun(sessions, "session")} in ${countNoun(rows, "row")}`;
    process.stdout.write(`exported ${exported} to ${options.out} (${formatBytes(bytes)})\n`);
    if (problems.length === 0)
        return;
    process.stderr.write(`rolltape: ${countNoun(problems.length, "problem")}, not exported:\n`);
    const list = new ProblemList((line) => process.stderr.write(line));
    for (const problem of problems)
        list.add(problem);
    list.end("; `rolltape storage verify --all` lists them");
    process.exitCode = EXIT_FAILURE;
}
//# sourceMappingURL=export.js.map