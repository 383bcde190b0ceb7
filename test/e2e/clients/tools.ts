import { z } from "zod";

/** Tools that the agents of the end-to-end tests call. */

export const City = z.object({ city: z.string() });
export const Numbers = z.object({ a: z.number(), b: z.number() });

export const toParameters = (schema: z.ZodType): Record<string, unknown> => z.toJSONSchema(schema);

export const ADD = { type: "function" as const, function: { name: "add", parameters: toParameters(Numbers) } };
