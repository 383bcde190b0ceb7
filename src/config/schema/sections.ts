import { z } from "zod";
import { engineSchema } from "./engine.js";
import { gatewaySchema } from "./gateway.js";
import { modelSchema } from "./model.js";
import { rolloutSchema } from "./rollout.js";
import { schedulerSchema } from "./scheduler.js";
import { serverSchema } from "./server.js";
import { storageSchema } from "./storage.js";
import { upstream } from "./upstreams.js";
import { usedBy } from "./used-by.js";

/** The whole configuration. Each key is checked by itself. */
export const sectionsSchema = z.strictObject({
  server: serverSchema.meta(usedBy("proxy")).prefault({}),
  storage: storageSchema.meta(usedBy("proxy")).prefault({}),
  model: modelSchema.meta(usedBy("proxy")).prefault({}),
  engine: engineSchema.meta(usedBy("proxy")).prefault({}),
  rollout: rolloutSchema.meta(usedBy("rollout")).prefault({}),
  scheduler: schedulerSchema.meta(usedBy("job")).prefault({}),
  gateway: gatewaySchema.meta(usedBy("gateway")).prefault({}),
  upstreams: z
    .array(upstream)
    .default([])
    .meta({ writeOnly: true })
    .meta(usedBy("proxy"))
    .describe(
      "Model names whose calls another server answers, `{models, url, api_key, api_key_env, model, timeout_seconds}`, or that are refused, `{models, refuse: true}`. Such calls are not recorded. The first entry that matches the requested name applies. The policy answers all other names and that of the served model. See [Calls to other models](model-calls.md#calls-to-other-models).",
    ),
  group_size: z
    .int()
    .min(1)
    .default(1)
    .meta(usedBy("rollout"))
    .describe("Number of rollouts per task. They form one group."),
  drop_incomplete_group: z
    .boolean()
    .default(true)
    .meta(usedBy("rollout"))
    .describe("Drop all trajectories of a group that has a rejected member."),
});

/** The resolved configuration: every key is present, spelled as users write it. Null means "not set". */
export type Config = z.output<typeof sectionsSchema>;
