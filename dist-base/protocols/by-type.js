import { z } from "zod";
import { readType } from "./fields.js";
/**
 * Returns a schema for objects whose `type` selects their schema. Unlike zod's discriminated union, it has a schema for all
 * other types, and its errors are those of the selected schema.
 */
export function byType(known, other) {
    const schemas = new Map(Object.entries(known));
    const described = [...schemas.values(), other].map((schema) => {
        const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
        return json;
    });
    return z
        .unknown()
        .meta({ anyOf: described })
        .transform((value, context) => {
        const schema = schemas.get(readType(value) ?? "") ?? other;
        const result = schema.safeParse(value);
        if (result.success)
            return result.data;
        for (const issue of result.error.issues)
            context.issues.push({ ...issue });
        return z.NEVER;
    });
}
//# sourceMappingURL=by-type.js.map