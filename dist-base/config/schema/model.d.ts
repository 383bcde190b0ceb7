import { z } from "zod";
/** The chat model: how messages become tokens and tokens become text. */
export declare const modelSchema: z.ZodObject<{
    path: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    name: z.ZodDefault<z.ZodNullable<z.ZodString>>;
}, z.core.$strict>;
