import { z } from "zod";
import { controlBody } from "../http/control-body.js";

/** A weight version and the time at which it was set, as servers and gateways send it to each other. */
export const weightVersionSchema = z.object({
  version: z.int32().min(0),
  set_at: z.number().min(0).max(1e11).describe("Seconds since the epoch; 0 if no version was set."),
});

/** The model that a control call is for, of several that the server answers. */
export const modelField = z
  .string()
  .max(256)
  .optional()
  .describe("With `engines`: the model that the call is for. Default: every model that is not frozen.");

export const versionBody = controlBody({
  version: weightVersionSchema.shape.version,
  set_at: weightVersionSchema.shape.set_at
    .optional()
    .describe(
      "Set by gateways, with the same value for all workers: when the version was set, in seconds since the epoch. The " +
        "call has no effect if the server has a version that was set later. Default: now.",
    ),
  model: modelField,
});

export type WeightVersion = z.output<typeof weightVersionSchema>;

/** The version that a server assumes until one is set. */
export const NEVER_SET: WeightVersion = { version: 0, set_at: 0 };

const MILLISECOND = 0.001;

/**
 * Returns true if `one` replaces `other`. The time decides, not the number, because a trainer that restarts sets a lower
 * version. If two gateways set versions at the same time, the number decides, so that all servers agree.
 */
export function isLater(one: WeightVersion, other: WeightVersion): boolean {
  return one.set_at === other.set_at ? one.version > other.version : one.set_at > other.set_at;
}

/** Returns `version` with the current time, but always later than `known`, because the clocks of two machines differ. */
export function stampVersion(version: number, known: WeightVersion): WeightVersion {
  return { version, set_at: Math.max(Date.now() / 1000, known.set_at + MILLISECOND) };
}
