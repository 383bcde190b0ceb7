import { z } from "zod";

/**
 * Schemas made by {@link controlBody}, and refinements of them. The results of `extend` and `pick` are not registered.
 */
const controlBodies = z.registry<{ readonly refusesUnknown: true }>();

/**
 * Returns the schema of a control or export body. It refuses all fields but `fields`: if a misspelled `discount` were
 * ignored, the trainer would get wrong rewards. To share fields between bodies, spread them.
 */
export function controlBody<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields).register(controlBodies, { refusesUnknown: true });
}

/** Returns the schema; of a control body, a copy that ignores unknown fields. */
export function lenient(schema: z.ZodType): z.ZodType {
  return isControlBody(schema) ? schema.strip() : schema;
}

function isControlBody(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && controlBodies.get(schema) !== undefined;
}
