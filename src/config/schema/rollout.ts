import { z } from "zod";
import { agentSchema } from "./agent.js";

/** Rollouts: their agents, how many run at once, and how far they may run ahead of the trainer. */
export const rolloutSchema = z.strictObject({
  agent: agentSchema.prefault({}),
  max_concurrent_rollouts: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Maximum number of concurrent rollouts. Null: 64. Used by rollout jobs only."),
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
});
