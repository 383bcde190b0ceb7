import { z } from "zod";
/** What starts the processes of a job. */
export declare const schedulerSchema: z.ZodObject<{
    type: z.ZodDefault<z.ZodEnum<{
        local: "local";
        slurm: "slurm";
    }>>;
}, z.core.$strict>;
