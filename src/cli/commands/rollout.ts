import { type Config, refuseUnused, resolveConfig } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import { requireEngine, requireWritable, sharedMemoryProblems } from "../preflight/preflight.js";
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
 * What a job has otherwise than a server, unless its arguments say so: a port of its own, quiet logs, sessions that wait
 * for the batch as long as it takes, and no one to wait for at the end.
 */
const JOB_DEFAULTS = [
  "server.port=0",
  "server.log_level=warn",
  "server.shutdown_seconds=1",
  "rollout.agent.session_timeout_seconds=2147483",
] as const;

/** `rolltape rollout`: engine, proxy, episodes, batches in files, a summary on standard output. */
export async function rollout(args: readonly string[], options: RolloutOptions): Promise<void> {
  await run(args, options);
  // What agents left at work (timers, connections) would keep this process alive.
  exit();
}

async function run(args: readonly string[], options: RolloutOptions): Promise<void> {
  const overrides = [...JOB_DEFAULTS, ...args];
  const config = resolveConfig({ file: options.config, overrides });
  refuseUnused(args, unusedByRollout(config, options));
  assertLocal(config);
  assertRowReward(config, options);
  const tasks = await readTasks(options.data);
  using watch = new ProcessWatch();
  const { summary, failure } = await runJob({ config, options, overrides, tasks, watch });
  // When everything is closed: what is still logged comes before.
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
    const tokens = await SampledTokens.of(proxy.url);
    const started = performance.now();
    const job = new RolloutJob({ config, options, proxy, tokens, workflow, tasks, screen });
    watch.begin(job);
    const { interrupted, failure, ...outcome } = await job.run();
    const seconds = (performance.now() - started) / 1000;
    const particulars = { tasks: tasks.length, groupSize: workflow.groupSize, seconds };
    const stopped = interrupted || failure !== undefined;
    return { summary: { ...outcome, ...particulars, stopped }, failure };
  } finally {
    workflow.close();
  }
}

function assertLocal({ scheduler }: Config): void {
  if (scheduler.type === "local") return;
  const where = "rolltape rollout starts everything on this machine (local), rolltape job on many";
  const message = `scheduler.type is ${scheduler.type}; ${where}`;
  throw new RolloutJobError("invalid_arguments", message);
}

/** Nodes of a tree have rewards of their own; no row of several turns sums them. */
function assertRowReward({ rollout: { agent } }: Config, { layout }: RolloutOptions): void {
  if (agent.concat_reward === "leaf" || layout !== "tree") return;
  const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
  throw new RolloutJobError("invalid_arguments", `${message}. Nodes of a tree have rewards of their own.`);
}
