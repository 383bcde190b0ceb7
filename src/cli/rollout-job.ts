import type { Config } from "../config/index.js";
import type { ConnectedProxy } from "../rollout/connect.js";
import { RolloutController } from "../rollout/controller/controller.js";
import type { RolloutTask } from "./rollout-data.js";
import { RolloutJobError } from "./rollout-error.js";
import { onInterrupt } from "./rollout-interrupt.js";
import type { RolloutOptions } from "./rollout-options.js";
import { RolloutProgress } from "./rollout-progress.js";
import { RolloutTally } from "./rollout-tally.js";
import { SampledTokens } from "./rollout-tokens.js";
import type { JobWorkflow } from "./rollout-workflow.js";

/** Tasks at once where the configuration does not say. */
const CONCURRENT_TASKS = 64;

export interface Job {
  readonly config: Config;
  readonly proxy: ConnectedProxy;
  readonly job: JobWorkflow;
  readonly tasks: readonly RolloutTask[];
  readonly layout: RolloutOptions["layout"];
}

export interface JobOutcome {
  readonly tally: RolloutTally;
  /** Tokens that the engine sampled. */
  readonly sampledTokens: number;
  /** A safetensors file. */
  readonly batch: Uint8Array;
  readonly interrupted: boolean;
}

/**
 * Runs every task and exports what was accepted as one batch. A signal stops it: what has finished by then is exported.
 *
 * @throws RolloutJobError `no_trajectories`
 */
export async function runJob({ config, proxy, job, tasks, layout }: Job): Promise<JobOutcome> {
  const { agent, max_concurrent_rollouts } = config.rollout;
  const tally = new RolloutTally();
  const controller = new RolloutController(job.workflow, proxy, {
    maxConcurrentRollouts: max_concurrent_rollouts ?? Math.min(CONCURRENT_TASKS, tasks.length),
    // The whole job is one batch of one version.
    maxStaleness: 0,
    consumerBatchSize: tasks.length,
    exportFields: { layout, style: agent.export_style, discount: agent.turn_discount, on_mismatch: "split" },
    onResult: (result) => tally.add(result),
  });
  const tokens = new SampledTokens(proxy.url);
  const progress = new RolloutProgress(tasks.length * job.groupSize, tally, tokens);
  let interrupted = false;
  const forget = onInterrupt(() => {
    interrupted = true;
    process.stderr.write("\nrolltape: stopping; what has finished is exported\n");
    void controller.stop();
  });
  try {
    for (const { data, taskId } of tasks) controller.submit(data, { taskId });
    controller.finish();
    const batch = await controller.waitBatch();
    await progress.stop();
    if (!batch) throw nothing(tally, interrupted);
    return { tally, sampledTokens: tokens.count, batch: await batch.export(), interrupted };
  } finally {
    await progress.stop();
    forget();
  }
}

function nothing({ examples }: RolloutTally, interrupted: boolean): RolloutJobError {
  const reasons = [...examples].map(([code, { message }]) => `${code}: ${message}`).join("\n  ");
  const why = interrupted && examples.size === 0 ? "the job was stopped before one had finished" : `\n  ${reasons}`;
  return new RolloutJobError("no_trajectories", `no episode was accepted: ${why}`);
}
