import { type Config, refuseUnused, resolveConfig } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { requireEngine, requireWritable, sharedMemoryProblems } from "../preflight/preflight.js";
import { storageProblems } from "../preflight/storage-problems.js";
import { RolloutJobError } from "../rollout/errors.js";
import { EXIT_INTERRUPTED } from "../rollout/interrupt.js";
import { createWorkflow } from "../rollout/job-workflow.js";
import { openProxy } from "../rollout/open-proxy.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import { type RolloutTask, readTasks } from "../rollout/read-tasks.js";
import { RolloutJob } from "../rollout/rollout-job.js";
import type { RolloutOptions } from "../rollout/rollout-options.js";
import { SampledTokens } from "../rollout/sampled-tokens.js";
import { RolloutScreen } from "../rollout/screen.js";
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
  assertLocal(config);
  assertRowReward(config, options);
  assertTrainer(options);
  const tasks = await readTasks(options.data);
  using watch = new ProcessWatch();
  for (const { key, message } of storageProblems(config, { file: options.config, overrides }))
    process.stderr.write(`rolltape: warning: ${key} ${message}\n`);
  const { summary, failure } = await runJob({ config, options, overrides, tasks, watch });
  // After everything is closed, so that no log line follows the summary.
  process.stdout.write(describeRollout(summary));
  if (failure) throw failure;
  if (watch.interrupted) process.exitCode = EXIT_INTERRUPTED;
}

interface JobSettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  readonly overrides: readonly string[];
  readonly tasks: readonly RolloutTask[];
  readonly watch: ProcessWatch;
}

async function runJob({ config, options, overrides, tasks, watch }: JobSettings) {
  using screen = new RolloutScreen();
  await requireWritable(options.out);
  if (options.proxy === undefined) {
    for (const { key, message } of await sharedMemoryProblems(config))
      screen.line(`rolltape: warning: ${key}: ${message}`);
    await requireEngine(config);
  }
  const workflow = await createWorkflow(config, options);
  try {
    await using served = await openProxy({ config, options, overrides, screen });
    await using proxy = connectProxy(served);
    const tokens = await SampledTokens.start(proxy.url);
    const started = performance.now();
    const job = new RolloutJob({ config, options, proxy, tokens, workflow, tasks, screen });
    watch.begin(job);
    const { interrupted, failure, ...outcome } = await job.run();
    const seconds = (performance.now() - started) / 1000;
    const stopped = interrupted || failure !== undefined;
    const summary = { ...outcome, tasks: tasks.length, groupSize: workflow.groupSize, seconds, stopped };
    return { summary, failure };
  } finally {
    workflow.close();
  }
}

function assertLocal({ scheduler }: Config): void {
  if (scheduler.type === "local") return;
  const why = "because rolltape rollout starts everything on this machine; use rolltape job for several machines";
  const message = `scheduler.type must be local, ${why}; received ${scheduler.type}`;
  throw new RolloutJobError("invalid_arguments", message);
}

function assertTrainer({ trainer, trainerMode }: RolloutOptions): void {
  if (trainerMode === undefined || trainer !== undefined) return;
  throw new RolloutJobError("invalid_arguments", "--trainer-mode requires --trainer");
}

/** Layout tree has no rows of several turns, whose rewards could be summed. */
function assertRowReward({ rollout: { agent } }: Config, { layout }: RolloutOptions): void {
  if (agent.concat_reward === "leaf" || layout !== "tree") return;
  const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
  throw new RolloutJobError("invalid_arguments", `${message}. Each node of a tree is one turn.`);
}
