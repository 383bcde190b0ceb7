import { z } from "zod";
/** Schemas made by {@link controlBody}, and their refinements. `extend` and `pick` return schemas that are not registered. */
const controlBodies = z.registry();
/**
 * Returns the schema of a control or export body. It refuses fields other than `fields`: if a misspelled `discount` were
 * ignored, the trainer would get wrong rewards. To share fields between bodies, spread them into `fields`.
 */
export function controlBody(fields) {
    return z.strictObject(fields).register(controlBodies, { refusesUnknown: true });
}
/** Returns a copy of a control body's schema that ignores unknown fields; other schemas are returned unchanged. */
export function allowUnknownFields(schema) {
    return isControlBody(schema) ? schema.strip() : schema;
}
function isControlBody(schema) {
    return schema instanceof z.ZodObject && controlBodies.get(schema) !== undefined;
}
//# sourceMappingURL=control-body.js.map