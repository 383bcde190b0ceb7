import { readOptions } from "./options.js";
import { report } from "./report.js";
import { runChaos } from "./run-chaos.js";

/**
 * Kills a server with a storage folder at random moments under the soak's load, and compares everything that it answered with what
 * it has after the restart and with the engine's log. The exit status is 1 if something is lost or wrong.
 *
 *   npm run test:chaos [-- --kills 100 --seed 1 --power --concurrency 16 --durability call]
 */

const options = readOptions(process.argv.slice(2));
const tally = await runChaos(options, (line) => process.stderr.write(`${line}\n`));
console.log(report(tally));
for (const problem of tally.problems) console.log(`wrong: ${problem}`);
if (tally.problems.length > 0) process.exitCode = 1;
