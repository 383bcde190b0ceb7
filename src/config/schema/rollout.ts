import { z } from "zod";
import { agentSchema } from "./agent.js";
import { usedBy } from "./used-by.js";
import { seconds } from "./values.js";

/** Reasons for which an episode fails by itself. */
const FAILURES = [
  "agent_error",
  "invalid_reward",
  "no_model_calls",
  "unknown_interaction",
  "episode_timeout",
  "start_failed",
  "export_failed",
  "workflow_error",
] as const;

/** Rollouts: their agents, how many run at once, and how far they may run ahead of the trainer. */
export const rolloutSchema = z.strictObject({
  agent: agentSchema.meta(usedBy("proxy")).prefault({}),
  max_concurrent_rollouts: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Maximum number of concurrent rollouts. A rollout is one task: one episode, or one group. Null: 64."),
  max_concurrent_episodes: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum number of episodes that run at once in one process: in a job's own, or in each rollout worker. A rollout is a group of episodes. Null: as many as the concurrent rollouts have.",
    )
    .meta(usedBy("worker")),
  max_staleness: z
    .int()
    .min(0)
    .default(0)
    .describe("Maximum number of weight versions that a rollout may be behind the trainer when it is consumed.")
    .meta(usedBy("rollout", "trainer")),
  consumer_batch_size: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Rollouts that the trainer consumes per weight version. Null: all tasks of a job."),
  min_accepted_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe(
      "Share of the episodes that a job must accept. If fewer are in the batch, which is written all the same, the command ends with status 4.",
    ),
  drop_zero_variance: z
    .boolean()
    .default(false)
    .describe(
      "Leaves groups out of the batches in which all episodes have the same reward. Their advantages are 0, so they train nothing.",
    ),
  group_readable: z
    .boolean()
    .default(false)
    .describe(
      "Lets the group of the files read batches, sessions files, transcripts and errors, and enter folders that the job makes for them. Otherwise only their owner can.",
    ),
  max_token_staleness: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe(
      "Leaves groups out of the batches in which a token was sampled with a weight version that is further behind the version of the batch. Null: none.",
    ),
  workers: z
    .int()
    .min(1)
    .max(1024)
    .nullable()
    .default(null)
    .describe("Number of rollout worker processes that `rolltape rollout` starts. Null: agents run in its own process.")
    .meta(usedBy("ownWorkers")),
  worker_concurrency: z
    .int()
    .min(1)
    .max(4096)
    .default(64)
    .describe("Maximum number of tasks that one rollout worker runs at once.")
    .meta(usedBy("worker", "worker processes")),
  max_failures: z
    .int()
    .min(1)
    .max(1000)
    .default(3)
    .describe(
      "Number of times that an episode may fail before it is rejected: 1 means no retry. The pause before a retry is 0.5 s, then doubles. Attempts that are lost with a worker or a proxy do not count.",
    )
    .meta(usedBy("worker")),
  no_retry_on: z
    .array(z.enum(FAILURES))
    .default([])
    .describe(
      "Reasons after which an episode is rejected at once. Others are retried. An episode with `agent_refused` is never retried.",
    )
    .meta(usedBy("worker")),
  failure_reward: z
    .number()
    .nullable()
    .default(null)
    .describe(
      "Reward of an episode that failed for the last time, if its session has a model call: it becomes a sample. Null: it is rejected, so that batches have only episodes that survived, which is a bias.",
    )
    .meta(usedBy("worker")),
  proxy_wait_seconds: seconds
    .default(300)
    .describe(
      "Seconds for which episodes and exports wait for a proxy that does not answer. The episodes then run again.",
    )
    .meta(usedBy(["rollout", "worker"])),
  max_attempts: z
    .int()
    .min(1)
    .max(1000)
    .default(3)
    .describe(
      "Number of times that a task may run if rollout workers die or go silent, or if its sessions are lost with their proxy.",
    ),
  lease_seconds: z
    .number()
    .min(0.1)
    .max(86_400)
    .default(30)
    .describe(
      "Seconds without a heartbeat after which a rollout worker loses its tasks. Agents that block the event loop of their worker for longer need `rollout.agent.mode=subproc`.",
    )
    .meta(usedBy("rollout", "worker processes")),
});
