import { z } from "zod";

/** Schemas made by {@link controlBody}, and their refinements. `extend` and `pick` return schemas that are not registered. */
const controlBodies = z.registry<{ readonly refusesUnknown: true }>();

/**
 * Returns the schema of a control or export body. It refuses fields other than `fields`: if a misspelled `discount` were
 * ignored, the trainer would get wrong rewards. To share fields between bodies, spread them into `fields`.
 */
export function controlBody<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields).register(controlBodies, { refusesUnknown: true });
}

/** Returns a copy of a control body's schema that ignores unknown fields; other schemas are returned unchanged. */
export function allowUnknownFields(schema: z.ZodType): z.ZodType {
  return isControlBody(schema) ? schema.strip() : schema;
}

function isControlBody(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && controlBodies.get(schema) !== undefined;
}
