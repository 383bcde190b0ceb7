import { z } from "zod";

/**
 * What a schema accepts, handed on as it is: zod makes a new object, in which the keys that the schema names come first.
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
