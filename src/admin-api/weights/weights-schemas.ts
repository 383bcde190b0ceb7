import { z } from "zod";
import { controlBody } from "../../http/control-body.js";
import { modelField, weightVersionSchema } from "../weight-version.js";

const version = weightVersionSchema.shape.version;
const excluded = z
  .array(z.string())
  .max(10_000)
  .default([])
  .describe("Addresses of engine servers to leave out. They are drained and keep their weights.");

const updatedModel = modelField.describe(
  "With `engines`: the model whose weights are updated. Required if several models are not frozen.",
);

/** Parameters of calls without a body. */
export const weightsQuery = z.object({ model: updatedModel });

const MAX_WAIT_SECONDS = 86_400;

export const weightsBody = controlBody({
  version,
  model: updatedModel,
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe("File or folder of the weights, as the engine sees it. Required without `mode` and `lora`."),
  mode: z
    .literal("external")
    .optional()
    .describe("Only pauses: the caller then pushes the weights to the engine servers and calls `/rl/weights/finish`."),
  sleep: z
    .boolean()
    .default(false)
    .describe("With `mode: external`: the engine servers free the memory of their devices until `/rl/weights/finish`."),
  lora: z
    .strictObject({
      name: z
        .string()
        .regex(/^[\x21-\x7e]{1,128}$/, "must have 1 to 128 visible ASCII characters")
        .describe("Name of the adapter, which no other one has had: for example `policy@17`."),
      path: z.string().min(1).max(4096).describe("Folder of the adapter, as the engine sees it."),
    })
    .optional()
    .describe("A LoRA adapter to load instead of a path. Model calls go on, and later ones use it."),
  allow_partial: z
    .boolean()
    .default(false)
    .describe("Load the weights even if tensors of the model are missing or have other shapes."),
  exclude: excluded,
  wait_seconds: z
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(600)
    .describe("The answer is 202 if the update takes longer; it goes on."),
});

export const finishBody = controlBody({
  version: version.describe("The version of the external update."),
  model: updatedModel,
  path: weightsBody.shape.path.describe("With `sleep`: file or folder of the new weights, as the engine sees it."),
  allow_partial: weightsBody.shape.allow_partial,
  exclude: excluded,
  wait_seconds: weightsBody.shape.wait_seconds,
});

const seconds = z.number().min(0);

export const weightServerRecord = z.object({
  url: z.string().describe("`embedded` for the engine in the server's own process."),
  version: version.nullable().describe("Version of the server's weights; null if it is not known."),
  state: z.enum(["pending", "loading", "loaded", "failed", "excluded"]),
  seconds: seconds.nullable().describe("Duration of the load, including the flush of the caches."),
  error: z.string().nullable(),
});

export const weightsRecord = z.object({
  state: z.enum(["idle", "pausing", "loading", "external", "resuming", "failed"]),
  version: version.describe("The current version."),
  target_version: version.nullable().describe("Version of the running or failed update; null if `state` is `idle`."),
  mode: z.enum(["path", "external", "lora"]).nullable(),
  path: z.string().nullable(),
  started_at: seconds.nullable().describe("When the running or last update began, in seconds since the epoch."),
  paused_seconds: seconds.nullable().describe("How long the running or last update has held model calls."),
  checked: z
    .boolean()
    .nullable()
    .describe(
      "The tensors at `path` were compared with those of the model before the pause. Null: the proxy had nothing to compare.",
    ),
  not_checked: z.string().nullable().describe("Why `checked` is false."),
  error: z.string().nullable().describe("Why the last update failed; null if it succeeded."),
  servers: z.array(weightServerRecord),
});

export type WeightsBody = z.output<typeof weightsBody>;
export type WeightServerRecord = z.output<typeof weightServerRecord>;
export type WeightsRecord = z.output<typeof weightsRecord>;
export type UpdateState = WeightsRecord["state"];
