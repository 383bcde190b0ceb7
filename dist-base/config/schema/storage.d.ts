import { z } from "zod";
/** Where sessions are stored, so that they survive the process. */
export declare const storageSchema: z.ZodObject<{
    directory: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    durability: z.ZodDefault<z.ZodEnum<{
        call: "call";
        interval: "interval";
        none: "none";
    }>>;
    interval_seconds: z.ZodDefault<z.ZodNumber>;
    memory_bytes: z.ZodDefault<z.ZodNullable<z.ZodInt>>;
}, z.core.$strict>;
