import { z } from "zod";
import { FIXABLE } from "../../facts/sampling-override.js";

type Fixable = typeof FIXABLE;

/** Sampling parameters that replace those of requests, each with the range that it has in requests. Null: the request decides. */
export const samplingOverrideSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(FIXABLE).map(([name, { schema, meaning }]) => [
      name,
      (schema as z.ZodType).nullable().default(null).describe(meaning),
    ]),
  ) as unknown as { [Name in keyof Fixable]: z.ZodDefault<z.ZodNullable<Fixable[Name]["schema"]>> },
);
