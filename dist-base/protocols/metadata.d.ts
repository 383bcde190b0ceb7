import { z } from "zod";
/** `metadata` of a request: an agent's own notes on a call. They do not change the result. */
export declare const metadata: z.ZodRecord<z.ZodString, z.ZodString>;
