import { z } from "zod";
/**
 * Returns a schema that accepts the same values but returns them unchanged. Without it, zod returns a new object with
 * the schema's keys first; chat templates print keys in their order, so the prompt would change.
 */
export function acceptAsWritten(schema) {
    const { $schema: _, ...described } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    return z
        .unknown()
        .meta(described)
        .transform((value, context) => {
        const result = schema.safeParse(value);
        if (result.success)
            return value;
        for (const issue of result.error.issues)
            context.issues.push({ ...issue });
        return z.NEVER;
    });
}
//# sourceMappingURL=accept-as-written.js.map