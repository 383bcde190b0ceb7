import { z } from "zod";
/** Which model calls the exports of a rollout job train on. */
export declare const exportFiltersSchema: z.ZodObject<{
    models: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    exclude_models: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    tags: z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
}, z.core.$strict>;
export type ExportFiltersConfig = z.output<typeof exportFiltersSchema>;
