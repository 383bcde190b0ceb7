import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { refuseUnused, resolveConfig } from "../../config/index.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import { readRegularFileSync } from "../../support/regular-file.js";
import { EXIT_TOO_FEW } from "../exit.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { assertJobArguments } from "../rollout/job-arguments.js";
import { controllerCommand } from "../rollout/job-command.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { readTasks } from "../rollout/read-tasks.js";
import type { ControllerCommandOptions } from "../rollout/rollout-options.js";
import { runRolloutJob } from "../rollout/run-rollout-job.js";
import { describeRollout, describeTooFew } from "../rollout/summary.js";

/** Unlike a server, a controller listens on any free port: `--url-file` tells workers which. */
const CONTROLLER_DEFAULTS = ["server.port=0"] as const;

/**
 * `rolltape controller`: gives tasks to rollout workers, writes batches to files, and prints a summary. Prints one JSON line on
 * standard output when workers may come.
 */
export async function controller(args: readonly string[], options: ControllerCommandOptions): Promise<void> {
  const overrides = [...CONTROLLER_DEFAULTS, ...args];
  const config = resolveConfig({ file: options.config, overrides });
  refuseUnused(args, controllerCommand(options));
  assertJobArguments(config, options);
  const tasks = await readTasks(options.data);
  using watch = new ProcessWatch();
  // While the job runs, standard output is passed on to standard error, where it cannot damage the progress bar.
  const write = process.stdout.write.bind(process.stdout);
  const onReady = (url: string) => {
    printReadyLine({ url, tasks: tasks.length }, write);
    if (options.urlFile !== undefined) publish(options.urlFile, url);
  };
  const { summary, failure } = await runRolloutJob({ config, options, overrides, tasks, watch, runners: { onReady } });
  if (options.urlFile !== undefined) withdraw(options.urlFile);
  // After everything is closed, so that no log line follows the summary.
  process.stdout.write(describeRollout(summary));
  if (failure) throw failure;
  if (watch.interrupted) process.exitCode = EXIT_INTERRUPTED;
  // A job's supervisor would take another status for a failure. The command that started it reads the summary.
  else if (options.startedBy === undefined && describeTooFew(summary) !== undefined) process.exitCode = EXIT_TOO_FEW;
  exit();
}

/** Removes the address, unless another controller has taken over and written its own. */
function withdraw(file: string): void {
  const text = existsSync(file) ? readRegularFileSync(file) : "{}";
  if ((JSON.parse(text) as { readonly pid?: number }).pid === process.pid) rmSync(file, { force: true });
}

/** Writes the address for workers on other machines. The rename keeps them from reading an incomplete file. */
function publish(file: string, url: string): void {
  writeFileSync(`${file}.new`, `${JSON.stringify({ url, pid: process.pid })}\n`);
  renameSync(`${file}.new`, file);
}
