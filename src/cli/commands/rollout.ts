import { type Config, refuseUnused, resolveConfig } from "../../config/index.js";
import { EXIT_TOO_FEW } from "../exit.js";
import { storageProblems } from "../preflight/storage-problems.js";
import { RolloutJobError } from "../rollout/errors.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { assertJobArguments } from "../rollout/job-arguments.js";
import { rolloutCommand } from "../rollout/job-command.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { readTasks } from "../rollout/read-tasks.js";
import type { RolloutOptions } from "../rollout/rollout-options.js";
import { runRolloutJob } from "../rollout/run-rollout-job.js";
import { runScheduledRollout } from "../rollout/run-scheduled.js";
import { describeRollout, describeTooFew } from "../rollout/summary.js";

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

/** A placeholder, because an `engine.urls` without addresses is refused. Engines that the job starts have their addresses only later. */
const UNKNOWN_ENGINES = ["engine.urls=[http://127.0.0.1:1]"] as const;

/** `rolltape rollout`: starts a proxy, runs the episodes, writes batches to files, and prints a summary. */
export async function rollout(args: readonly string[], options: RolloutOptions): Promise<void> {
  await run(args, options);
  // Timers and connections that agents left behind would keep this process alive.
  exit();
}

async function run(args: readonly string[], options: RolloutOptions): Promise<void> {
  assertEngines(args, options);
  const overrides = [...JOB_DEFAULTS, ...(options.engineCommand === undefined ? [] : UNKNOWN_ENGINES), ...args];
  const config = resolveConfig({ file: options.config, overrides });
  refuseUnused(args, rolloutCommand(config, options, args));
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
  const { summary, failure } = await runRolloutJob({ config, options, overrides, tasks, watch, runners });
  // After everything is closed, so that no log line follows the summary.
  process.stdout.write(describeRollout(summary));
  if (failure) throw failure;
  if (watch.interrupted) process.exitCode = EXIT_INTERRUPTED;
  else if (describeTooFew(summary) !== undefined) process.exitCode = EXIT_TOO_FEW;
}

/** @throws RolloutJobError `invalid_arguments` if the job cannot start engines, or cannot find those that it starts */
function assertEngines(args: readonly string[], options: RolloutOptions): void {
  const { engineCommand, engines, jobFolder } = options;
  if (jobFolder === undefined) return;
  const refuse = (message: string) => {
    throw new RolloutJobError("invalid_arguments", message);
  };
  if (engineCommand === undefined)
    return engines === undefined ? undefined : refuse("--engines requires --engine-command");
  if (!engineCommand.some((word) => word.includes("{port}"))) {
    refuse("--engine-command must contain {port}, on which the proxies call the engine");
  }
  if (isEmbedded(args, options)) {
    refuse("--engine-command requires engine.type=sglang or vllm: the embedded engine runs in the proxies");
  }
}

function isEmbedded(args: readonly string[], { config: file }: RolloutOptions): boolean {
  try {
    return resolveConfig({ file, overrides: [...JOB_DEFAULTS, ...args] }).engine.type === "embedded";
  } catch {
    // The addresses of engine servers are missing. Anything else is reported with them.
    return false;
  }
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
