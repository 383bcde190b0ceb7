import { type Config, refuseUnused, resolveConfig } from "../../config/index.js";
import { storageProblems } from "../preflight/storage-problems.js";
import { RolloutJobError } from "../rollout/errors.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { assertJobArguments } from "../rollout/job-arguments.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { readTasks } from "../rollout/read-tasks.js";
import type { RolloutOptions } from "../rollout/rollout-options.js";
import { runJob } from "../rollout/run-job.js";
import { runScheduledRollout } from "../rollout/run-scheduled.js";
import { describeRollout } from "../rollout/summary.js";
import { unusedByRollout } from "../rollout/unused-keys.js";

/**
 * Defaults of a job that differ from those of a server: any free port, few logs, no expiry of sessions that wait for
 * the batch, and a fast shutdown.
 */
const JOB_DEFAULTS = [
  "server.port=0",
  "server.log_level=warn",
  "server.shutdown_seconds=1",
  "rollout.agent.session_timeout_seconds=2147483",
] as const;

/** `rolltape rollout`: starts a proxy, runs the episodes, writes batches to files, and prints a summary. */
export async function rollout(args: readonly string[], options: RolloutOptions): Promise<void> {
  await run(args, options);
  // Timers and connections that agents left behind would keep this process alive.
  exit();
}

async function run(args: readonly string[], options: RolloutOptions): Promise<void> {
  const overrides = [...JOB_DEFAULTS, ...args];
  const config = resolveConfig({ file: options.config, overrides });
  refuseUnused(args, unusedByRollout(config, options));
  assertSchedulable(config, options);
  assertJobArguments(config, options);
  const { jobFolder } = options;
  if (jobFolder !== undefined) {
    await readTasks(options.data);
    return runScheduledRollout({ config, options: { ...options, jobFolder }, overrides: args });
  }
  const tasks = await readTasks(options.data);
  using watch = new ProcessWatch();
  for (const { key, message } of storageProblems(config, { file: options.config, overrides }))
    process.stderr.write(`rolltape: warning: ${key} ${message}\n`);
  const workers = options.workers ?? config.rollout.workers;
  const runners = workers === null ? "here" : { workers };
  const { summary, failure } = await runJob({ config, options, overrides, tasks, watch, runners });
  // After everything is closed, so that no log line follows the summary.
  process.stdout.write(describeRollout(summary));
  if (failure) throw failure;
  if (watch.interrupted) process.exitCode = EXIT_INTERRUPTED;
}

function assertSchedulable({ scheduler }: Config, options: RolloutOptions): void {
  if (options.jobFolder !== undefined) return;
  if (scheduler.type !== "local") {
    const why = "a folder that all machines share, for logs and addresses";
    const message = `scheduler.type=${scheduler.type} requires --job-folder, ${why}`;
    throw new RolloutJobError("invalid_arguments", message);
  }
  const option = (["nodes", "sbatchOption", "engineCommand", "engines"] as const).find(
    (name) => options[name] !== undefined,
  );
  if (option === undefined) return;
  const name = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new RolloutJobError("invalid_arguments", `--${name} requires --job-folder`);
}
