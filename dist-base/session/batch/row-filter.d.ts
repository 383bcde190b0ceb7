import { z } from "zod";
import type { Interaction } from "../interaction.js";
import type { Session } from "../session.js";
/** Options that choose the interactions that an export trains on. Rewards are computed before, over the whole session. */
export declare const filterFields: {
    readonly models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly excludeModels: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
};
export type RowFilter = z.output<z.ZodObject<typeof filterFields>>;
/** Returns the filters under their names in HTTP bodies; undefined if there are none. */
export declare function describeFilter({ models, excludeModels, tags, roots }: RowFilter): object | undefined;
/** Returns true if a filter removes the interaction, regardless of rewards. */
type Removes = (interaction: Interaction) => boolean;
/** Returns the test of `models`, `excludeModels` and `tags`; undefined if none of them is set. */
export declare function toInteractionFilter({ models, excludeModels, tags }: RowFilter): Removes | undefined;
/** Returns the indices of the interactions that the test removes, in ascending order. */
export declare function findRemoved(session: Session, removes: Removes): Uint32Array;
export {};
