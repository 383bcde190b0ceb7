import { z } from "zod";

const patterns = z
  .array(z.string().max(256))
  .min(1)
  .max(100)
  .nullable()
  .default(null)
  .meta({ expected: "a list of texts" });

/** Which model calls a rollout job's exports have rows for. */
export const exportFiltersSchema = z.strictObject({
  models: patterns.describe(
    "Only calls whose request named one of these models. `*` stands for any text, an empty text for no name. Null: any. Used by rollout jobs only; an export call has filters of its own.",
  ),
  exclude_models: patterns.describe("No calls whose request named one of these models. Used by rollout jobs only."),
  tags: patterns.describe(
    "Only calls with one of these tags (header `x-rolltape-tag`). `*` stands for any text, an empty text for no tag. Null: any. Used by rollout jobs only.",
  ),
  roots: z
    .enum(["all", "rewarded"])
    .default("all")
    .describe(
      "`rewarded`: no conversation trees without any reward. A session's own reward counts for all of its trees. Used by rollout jobs only.",
    ),
});

export type ExportFiltersConfig = z.output<typeof exportFiltersSchema>;
