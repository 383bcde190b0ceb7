import { readOptions } from "./options.js";
import { report } from "./report.js";
import { runRolloutChaos } from "./rollout/run-rollout-chaos.js";
import { runChaos } from "./run-chaos.js";

/**
 * Kills a server with a storage folder at random moments under the soak's load, and compares everything that it answered with what
 * it has after the restart and with the engine's log. The exit status is 1 if something is lost or wrong.
 *
 *   npm run test:chaos [-- --kills 100 --seed 1 --rollout --power --concurrency 16 --durability call]
 */

const options = readOptions(process.argv.slice(2));
const problems = options.rollout === true ? await killRollout() : await killServer();
for (const problem of problems) console.log(`wrong: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

async function killServer(): Promise<readonly string[]> {
  const tally = await runChaos(options, (line) => process.stderr.write(`${line}\n`));
  console.log(report(tally));
  return tally.problems;
}

async function killRollout(): Promise<readonly string[]> {
  const { problems: found, kills, ...counts } = await runRolloutChaos(options);
  const all = { ...kills, ...counts, wrong: found.length };
  for (const [name, count] of Object.entries(all)) console.log(`${name.padEnd(12)} ${count}`);
  return found;
}
