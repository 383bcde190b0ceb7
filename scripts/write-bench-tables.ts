import { writePages } from "../bench/report/page-files.js";
import { COMMITTED, outputFolder, readResult, writeResult } from "../bench/report/result-files.js";

/**
 * Writes the tables of docs/explanation/performance.md and bench/NOTEBOOK.md from the results in bench/results. For each benchmark that is
 * named, its last result in out/bench is copied there first.
 *
 *   npm run docs:bench [-- name…]
 */

for (const name of process.argv.slice(2)) writeResult(readResult(outputFolder("full"), name), COMMITTED);
const changed = writePages();
process.stdout.write(`${changed.length === 0 ? "nothing changed" : `wrote the tables of ${changed.join(", ")}`}\n`);
