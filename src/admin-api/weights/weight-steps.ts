import { z } from "zod";
import { controlBody } from "../../http/control-body.js";
import { modelField, weightVersionSchema } from "../weight-version.js";

// The calls of a gateway to its workers, which take the steps of a weight update one by one.

const version = weightVersionSchema.shape.version;
const urls = z.array(z.string()).default([]);

const target = z.object({
  version,
  mode: z.enum(["path", "external", "lora"]),
  path: z.string().nullable(),
  sleep: z.boolean().optional().describe("The servers sleep during the update."),
  name: z.string().optional().describe("Name of the adapter, if `mode` is `lora`."),
});

const id = z.string().max(128);

const knownServer = z.object({ url: z.string(), version: version.nullable(), path: z.string().nullable() });

export const stepBody = controlBody({
  step: z
    .enum([
      "list",
      "compare",
      "prepare",
      "hold",
      "pause",
      "sleep",
      "wake",
      "load",
      "finish",
      "drain",
      "resume",
      "release",
    ])
    .describe("Set by gateways: one step of a weight update."),
  target: target.optional().describe("The weights; for `compare`, `prepare`, `hold` and `load`."),
  update_id: id
    .default("")
    .describe("The update that takes the step. A worker that takes part in another one refuses it."),
  replaces: z
    .array(id)
    .max(1000)
    .default([])
    .describe("`hold`: updates that this one replaces, which its gateway began or found. Others are in its way."),
  model: modelField,
  servers: urls.describe(
    "The servers of the step, as this worker names them. `hold`: the servers to drain; `prepare`: those that take no part.",
  ),
  known: z.array(knownServer).default([]).describe("`release`: what is known about the servers' weights."),
  hold: z.boolean().default(false).describe("`release`: model calls stay held."),
});

export const stepReply = z.object({
  version: version.default(0).describe("The current version."),
  servers: z.array(
    knownServer.extend({
      draining: z.boolean(),
      source: z
        .enum(["update", "known", "assumed"])
        .describe("`update`: noted in the update in progress. `assumed`: nothing is known about the server."),
    }),
  ),
  update: target
    .extend({ id: id.default("") })
    .nullable()
    .describe("The update in progress."),
  interrupted: z
    .boolean()
    .default(false)
    .describe("The worker was restarted during the update and has not held its calls again for the gateway."),
  paused: z.boolean(),
  check: z
    .object({ checked: z.boolean(), reason: z.string().nullable() })
    .nullable()
    .default(null)
    .describe("The result of `compare`; null if the engine compares weights itself."),
  failures: z.array(
    z.object({ url: z.string(), message: z.string(), unchanged: z.boolean(), unreachable: z.boolean() }),
  ),
  lost: z.boolean().default(false).describe("`sleep`: the servers have lost their weights."),
});

export type StepBody = z.output<typeof stepBody>;
export type StepReply = z.output<typeof stepReply>;
