import type { z } from "zod";

/** Returns the value of a JSON text; undefined if there is no text, or if it is no JSON or does not fit the schema. */
export function readJson<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
