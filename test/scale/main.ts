import { parseArgs } from "node:util";
import { installSeaweed } from "../helpers/seaweed.js";
import { runScale } from "./run-scale.js";

/**
 * Runs a rollout job on thirteen machines, each of which is turned off once. The exit status is 1 if a task is not in the batches exactly once
 * with the rows that it has in a run without faults. Needs root, for network namespaces, and Debian's packages `postgresql` and `haproxy`.
 *
 *   npm run test:scale [-- --tasks 2000 --seed 1 --only proxy]
 */

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "1800" },
  },
});
const seaweed = installSeaweed();
if (seaweed === undefined) throw new Error("SeaweedFS is missing");
const problems = await runScale({
  seaweed,
  tasks: Number(values.tasks),
  seed: Number(values.seed),
  only: values.only,
  limitSeconds: Number(values.seconds),
  report: (line) => console.log(line),
});
for (const problem of problems.slice(0, 50)) console.log(`wrong: ${problem}`);
console.log(`${values.tasks} tasks, ${problems.length} wrong`);
process.exit(problems.length > 0 ? 1 : 0);
