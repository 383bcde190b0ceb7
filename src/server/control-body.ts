import { z } from "zod";
import { nearestName } from "../nearest-name.js";
import { ApiError } from "./errors.js";

/** Schemas made by {@link controlBody}. A schema refined from one is in it too; one made by `extend` or `pick` is not. */
const controlBodies = z.registry<{ readonly refusesUnknown: true }>();

/** Characters of an unknown field's name that an error shows. */
const SHOWN_LENGTH = 100;

/**
 * Returns the schema of a control or export body. It refuses fields beside `fields`: a misspelled `discount` that was
 * ignored would train a wrong model. To share fields between bodies, spread them.
 */
export function controlBody<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields).register(controlBodies, { refusesUnknown: true });
}

/** Returns the schema as it is, or, for a control body, one that ignores unknown fields. */
export function lenient(schema: z.ZodType): z.ZodType {
  return isControlBody(schema) ? schema.strip() : schema;
}

/**
 * Returns the error for an unknown field of a control body, undefined if the body has none. It comes before every other:
 * a missing `session_id` is explained by the `sesion_id` beside it.
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
