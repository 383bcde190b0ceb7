import { type JobChaosRow, runJobChaos } from "./jobs/run-job-chaos.js";
import { readOptions } from "./options.js";
import { report } from "./report.js";
import { runRolloutChaos } from "./rollout/run-rollout-chaos.js";
import { runChaos } from "./run-chaos.js";

/**
 * Kills a server with a storage folder at random moments under the soak's load, and compares everything that it answered with what
 * it has after the restart and with the engine's log. The exit status is 1 if something is lost or wrong.
 *
 *   npm run test:chaos [-- --kills 100 --seed 1 --rollout --power --concurrency 16 --durability call]
 *   npm run test:chaos -- --jobs [--only "--job-folder, with storage"]
 */

const options = readOptions(process.argv.slice(2));
const problems = options.jobs ? await hitJobs() : options.rollout ? await killRollout() : await killServer();
for (const problem of problems) console.log(`wrong: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

async function hitJobs(): Promise<readonly string[]> {
  console.log("| processes | storage | process | accepted, missing, twice | exit status | seconds |");
  console.log("|---|---|---|---|---|---|");
  const report = (row: JobChaosRow) => console.log(describe(row));
  const skip = (reason: string) => console.log(`skipped: ${reason}`);
  return runJobChaos({ seed: options.seed, only: options.only ?? "" }, { report, skip });
}

function describe({
  topology,
  storage,
  victim,
  how,
  once,
  missing,
  twice,
  status,
  seconds,
  reason,
}: JobChaosRow): string {
  const ended = `${status}${reason === "" ? "" : ` (${reason})`}`;
  const counts = `${once}, ${missing}, ${twice}`;
  return `| ${topology} | ${storage ? "yes" : "no"} | ${victim} ${how} | ${counts} | ${ended} | ${seconds.toFixed(0)} |`;
}

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
