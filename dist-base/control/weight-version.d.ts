import { z } from "zod";
/** A weight version and the time at which it was set, as servers and gateways send it to each other. */
export declare const weightVersionSchema: z.ZodObject<{
    version: z.ZodInt32;
    set_at: z.ZodNumber;
}, z.core.$strip>;
export declare const versionBody: z.ZodObject<{
    version: z.ZodInt32;
    set_at: z.ZodOptional<z.ZodNumber>;
}, z.core.$strict>;
export type WeightVersion = z.output<typeof weightVersionSchema>;
/** The version that a server assumes until one is set. */
export declare const NEVER_SET: WeightVersion;
/**
 * Returns true if `one` replaces `other`. The time decides, not the number, because a trainer that restarts sets a lower
 * version. If two gateways set versions at the same time, the number decides, so that all servers agree.
 */
export declare function isLater(one: WeightVersion, other: WeightVersion): boolean;
/** Returns `version` with the current time, but always later than `known`, because the clocks of two machines differ. */
export declare function stampVersion(version: number, known: WeightVersion): WeightVersion;
