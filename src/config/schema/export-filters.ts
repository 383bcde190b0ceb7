import { z } from "zod";

const patterns = z
  .array(z.string().max(256))
  .min(1)
  .max(100)
  .nullable()
  .default(null)
  .meta({ expected: "a list of texts" });

/** Which model calls the exports of a rollout job train on. */
export const exportFiltersSchema = z.strictObject({
  models: patterns.describe(
    "Exports only calls whose request named one of these models. `*` stands for any characters, an empty string for no name. Null: any model. An export call has its own filters.",
  ),
  exclude_models: patterns.describe(
    "Exports no calls whose request named one of these models. Same patterns as `models`.",
  ),
  tags: patterns.describe(
    "Exports only calls with one of these tags (header `x-rolltape-tag`). `*` stands for any characters, an empty string for no tag. Null: any tag.",
  ),
  roots: z
    .enum(["all", "rewarded"])
    .default("all")
    .describe(
      "`rewarded`: exports only conversation trees that have a reward. A session reward counts for all trees of its session.",
    ),
  overlong: z
    .enum(["keep", "drop"])
    .default("keep")
    .describe("`drop`: exports no calls whose output a token limit cut (finish reason `length`)."),
});
