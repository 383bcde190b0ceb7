import { z } from "zod";
/**
 * Returns a schema that accepts the same values but returns them unchanged. Without it, zod returns a new object with
 * the schema's keys first; chat templates print keys in their order, so the prompt would change.
 */
export declare function acceptAsWritten<T extends z.ZodType>(schema: T): z.ZodPipe<z.ZodUnknown, z.ZodTransform<Awaited<z.output<T>>, unknown>>;
