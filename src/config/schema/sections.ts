import { z } from "zod";
import { engineSchema } from "./engine.js";
import { gatewaySchema } from "./gateway.js";
import { modelSchema } from "./model.js";
import { rolloutSchema } from "./rollout.js";
import { schedulerSchema } from "./scheduler.js";
import { serverSchema } from "./server.js";
import { storageSchema } from "./storage.js";
import { upstream } from "./upstreams.js";

/** The whole configuration. Each key is checked by itself. */
export const sectionsSchema = z.strictObject({
  server: serverSchema.prefault({}),
  storage: storageSchema.prefault({}),
  model: modelSchema.prefault({}),
  engine: engineSchema.prefault({}),
  rollout: rolloutSchema.prefault({}),
  scheduler: schedulerSchema.prefault({}),
  gateway: gatewaySchema.prefault({}),
  upstreams: z
    .array(upstream)
    .default([])
    .meta({ writeOnly: true })
    .describe(
      "Calls for some model names that another server answers, or that are refused: `{models, url, api_key, api_key_env, model, timeout_seconds}` or `{models, refuse: true}`. They are not recorded. The first entry that has the requested name counts; all other names, and that of the served model, are the policy. See [Calls that are not the policy's](http-api.md#calls-that-are-not-the-policys).",
    ),
  group_size: z
    .int()
    .min(1)
    .default(1)
    .describe("Number of rollouts per task. They form one group. Used by rollout jobs only."),
  drop_incomplete_group: z
    .boolean()
    .default(true)
    .describe("Drop all trajectories of a group that has a rejected member. Used by rollout jobs only."),
});

/** The resolved configuration: every key is present, spelled as users write it. Null means "not set". */
export type Config = z.output<typeof sectionsSchema>;
