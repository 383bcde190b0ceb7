import { z } from "zod";
import { nearestName } from "../support/nearest-name.js";
import { ApiError } from "./errors.js";

/**
 * Schemas made by {@link controlBody}, and refinements of them. The results of `extend` and `pick` are not registered.
 */
const controlBodies = z.registry<{ readonly refusesUnknown: true }>();

/** Longest part of an unknown field's name that an error shows, in characters. */
const SHOWN_LENGTH = 100;

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

/**
 * Returns the error for the first unknown field of a control body; undefined if the body has none.
 *
 * Report it before all other issues: an unknown `sesion_id` explains why `session_id` is missing.
 */
export function unknownFieldError(schema: z.ZodType, { issues }: z.ZodError): ApiError | undefined {
  if (!isControlBody(schema)) return undefined;
  const found = issues.find((issue) => issue.code === "unrecognized_keys" && issue.path.length === 0);
  if (found?.code !== "unrecognized_keys") return undefined;
  const param = (found.keys[0] ?? "").slice(0, SHOWN_LENGTH);
  const known = Object.keys(schema.shape);
  const advice =
    known.length === 0 ? "This call takes no parameters." : `Did you mean \`${nearestName(param, known)}\`?`;
  return new ApiError("unknown_parameter", `Unknown parameter: \`${param}\`. ${advice}`, { param });
}

function isControlBody(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && controlBodies.get(schema) !== undefined;
}
