import { z } from "zod";

/**
 * Returns a schema that accepts the same values but returns them unchanged. Without it, zod returns a new object with
 * the schema's keys first; chat templates print keys in their order, so the prompt would change.
 */
export function acceptAsWritten<T extends z.ZodType>(schema: T) {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return z
    .unknown()
    .meta(described)
    .transform((value, context): z.output<T> => {
      const result = schema.safeParse(value);
      if (result.success) return value as z.output<T>;
      for (const issue of result.error.issues) context.issues.push({ ...issue } as z.core.$ZodRawIssue);
      return z.NEVER;
    });
}
