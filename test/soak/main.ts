import { markdownTable } from "../helpers/markdown-table.js";
import { readOptions } from "./options.js";
import { COLUMNS, toRows } from "./report.js";
import { runSoak } from "./run-soak.js";

/**
 * Runs agents of four protocols, an engine with faults, weight changes and exports. Compares every exported token with what the
 * engine sampled. The exit status is 1 if a check fails.
 *
 *   npm run soak [-- --calls 10000 --sessions 600 --seed 1 --concurrency 40 --duration SECONDS --gateway]
 */

const options = readOptions(process.argv.slice(2));
const result = await runSoak(options, (line) => process.stderr.write(`${line}\n`));
console.log(markdownTable(COLUMNS, toRows(result)));
for (const problem of result.problems) console.log(`wrong: ${problem}`);
if (result.problems.length > 0) process.exitCode = 1;
