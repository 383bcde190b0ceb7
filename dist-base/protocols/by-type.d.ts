import { z } from "zod";
/**
 * Returns a schema for objects whose `type` selects their schema. Unlike zod's discriminated union, it has a schema for all
 * other types, and its errors are those of the selected schema.
 */
export declare function byType<K extends Readonly<Record<string, z.ZodType>>, O extends z.ZodType>(known: K, other: O): z.ZodPipe<z.ZodUnknown, z.ZodTransform<Awaited<z.infer<O>> | Awaited<z.infer<K[keyof K]>>, unknown>>;
