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
      "Model names whose calls another server answers, `{models, url, api_key, api_key_env, model, timeout_seconds}`, or that are refused, `{models, refuse: true}`. Such calls are not recorded. The first entry that matches the requested name applies. The policy answers all other names and that of the served model. See [Calls to other models](model-calls.md#calls-to-other-models).",
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
