import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { adminKey, type Config, resolveConfig } from "../config/index.js";
import { connectProxy } from "../rollout/connect.js";
import type { RunningServer } from "../server/start.js";
import { createLogger } from "./logger.js";
import { readTasks } from "./rollout-data.js";
import { EXIT_INTERRUPTED } from "./rollout-interrupt.js";
import { type JobOutcome, runJob } from "./rollout-job.js";
import type { RolloutOptions } from "./rollout-options.js";
import { describeRollout } from "./rollout-summary.js";
import { createWorkflow } from "./rollout-workflow.js";

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

/** `rolltape rollout`: engine, proxy, episodes, one batch in a file, a summary on standard output. */
export async function rollout(overrides: readonly string[], options: RolloutOptions): Promise<void> {
  const config = resolveConfig({ file: options.config, overrides: [...JOB_DEFAULTS, ...overrides] });
  const { key } = adminKey(config, process.env);
  const tasks = await readTasks(options.data);
  await mkdir(dirname(options.out), { recursive: true });
  const job = await createWorkflow(config, options);
  try {
    await using server = await startProxy(config, key);
    await using proxy = connectProxy({ url: server.url, adminKey: key });
    const started = performance.now();
    const outcome = await runJob({ config, proxy, job, tasks, layout: options.layout });
    const seconds = (performance.now() - started) / 1000;
    await writeWhole(options.out, outcome.batch);
    process.stdout.write(
      describe(outcome, { tasks: tasks.length, groupSize: job.groupSize, seconds, out: options.out }),
    );
    if (outcome.interrupted) process.exitCode = EXIT_INTERRUPTED;
  } finally {
    job.close();
  }
}

type Particulars = Pick<Parameters<typeof describeRollout>[0], "tasks" | "groupSize" | "seconds" | "out">;

function describe({ tally, sampledTokens, batch, interrupted }: JobOutcome, particulars: Particulars): string {
  return describeRollout({ ...particulars, tally, sampledTokens, batch, interrupted });
}

async function startProxy(config: Config, key: string): Promise<RunningServer & AsyncDisposable> {
  // Loaded here, with the native addon: wrong arguments are reported without it.
  const { startServer } = await import("../server/start.js");
  const server = await startServer(config, { adminKey: key, logger: createLogger(config) });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** The file is there when all of it is. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const partial = `${file}.partial-${process.pid}`;
  await writeFile(partial, bytes);
  await rename(partial, file);
}
