import { z } from "zod";
import { agentSchema } from "./agent.js";

/** Rollouts: how many run, how far they may run ahead of the trainer, and the agents in them. */
export const rolloutSchema = z.strictObject({
  agent: agentSchema.prefault({}),
  max_concurrent_rollouts: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Rollouts that run at once; null takes 64. Read by rollout jobs; `serve` does nothing with it."),
  max_staleness: z
    .int()
    .min(0)
    .default(0)
    .describe(
      "Weight versions that a rollout may be behind the trainer when it is consumed. Read by rollout jobs; `serve` does nothing with it.",
    ),
  consumer_batch_size: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Rollouts that the trainer consumes for one weight version; null takes all tasks of a job. Read by rollout jobs; `serve` does nothing with it.",
    ),
});
