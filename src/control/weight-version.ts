import { z } from "zod";
import { controlBody } from "../http/control-body.js";

/** A weight version and when it was set, as servers and gateways tell it to each other. */
export const weightVersionSchema = z.object({
  version: z.int32().min(0),
  set_at: z.number().min(0).max(1e11).describe("Seconds since the epoch; 0 for a version that nobody has set."),
});

export const versionBody = controlBody({
  version: weightVersionSchema.shape.version,
  set_at: weightVersionSchema.shape.set_at
    .optional()
    .describe(
      "Set by gateways, the same for all workers: when the version was set, in seconds since the epoch. The call has no " +
        "effect if the server knows a version that was set later. Default: now.",
    ),
});

export type WeightVersion = z.output<typeof weightVersionSchema>;

/** What a server takes for its version until it is told one. */
export const NEVER_SET: WeightVersion = { version: 0, set_at: 0 };

const MILLISECOND = 0.001;

/**
 * Returns whether `one` replaces `other`. The time decides, not the number: a trainer that starts over sets a lower version.
 * Two gateways may set two versions in the same millisecond; the number decides then, so that all servers agree.
 */
export function isLater(one: WeightVersion, other: WeightVersion): boolean {
  return one.set_at === other.set_at ? one.version > other.version : one.set_at > other.set_at;
}

/** Returns `version` as set now, and in any case later than `known`: the clocks of two machines differ. */
export function setAfter(version: number, known: WeightVersion): WeightVersion {
  return { version, set_at: Math.max(Date.now() / 1000, known.set_at + MILLISECOND) };
}
