import { z } from "zod";
import { agentSchema } from "./agent.js";
import { seconds } from "./values.js";

/** Rollouts: their agents, how many run at once, and how far they may run ahead of the trainer. */
export const rolloutSchema = z.strictObject({
  agent: agentSchema.prefault({}),
  max_concurrent_rollouts: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum number of concurrent rollouts. A rollout is one task: one episode, or one group. Null: 64. Used by rollout jobs only.",
    ),
  max_concurrent_episodes: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum number of episodes that run at once in one process: in a job's own, or in each rollout worker. A rollout is a group of episodes. Null: as many as the concurrent rollouts have. Used by rollout jobs only.",
    ),
  max_staleness: z
    .int()
    .min(0)
    .default(0)
    .describe(
      "Maximum number of weight versions that a rollout may be behind the trainer when it is consumed. Used by rollout jobs only.",
    ),
  consumer_batch_size: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Rollouts that the trainer consumes per weight version. Null: all tasks of a job. Used by rollout jobs only.",
    ),
  min_accepted_share: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe(
      "Share of the episodes that a job must accept. If fewer are in the batch, which is written all the same, the command ends with status 4. Used by rollout jobs only.",
    ),
  workers: z
    .int()
    .min(1)
    .max(1024)
    .nullable()
    .default(null)
    .describe(
      "Number of rollout worker processes that `rolltape rollout` starts. Null: agents run in its own process. Used by rollout jobs only.",
    ),
  worker_concurrency: z
    .int()
    .min(1)
    .max(4096)
    .default(64)
    .describe("Maximum number of tasks that one rollout worker runs at once. Used by rollout workers only."),
  max_attempts: z
    .int()
    .min(1)
    .max(1000)
    .default(3)
    .describe(
      "Number of times that a task may run if rollout workers die or go silent, or if its sessions are lost with their proxy. Used by controllers with rollout workers only.",
    ),
  lease_seconds: z
    .number()
    .min(0.1)
    .max(86_400)
    .default(30)
    .describe(
      "Seconds without a heartbeat after which a rollout worker loses its tasks. Agents that block the event loop of their worker for longer need `rollout.agent.mode=subproc`. Used by controllers with rollout workers only.",
    ),
  controller_wait_seconds: seconds
    .default(600)
    .describe(
      "Seconds for which a rollout worker calls a controller that does not answer. Used by rollout workers only.",
    ),
});
