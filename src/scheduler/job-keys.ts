import { z } from "zod";
import { findNearestName } from "../support/nearest-name.js";
import { jobSchema } from "./job.js";

type Schema = z.core.JSONSchema.BaseSchema;

const whole = z.toJSONSchema(jobSchema, { io: "input" });

/** The key of a job's description that an unknown one beside it was most likely meant to be. */
export function nearestKeyAt(path: readonly PropertyKey[], unknown: string): string {
  const schemas = path.reduce<Schema[]>((above, part) => above.flatMap((schema) => below(schema, part)), [whole]);
  const known = schemas.flatMap(alternatives).flatMap(({ properties = {} }) => Object.keys(properties));
  return findNearestName(unknown, known);
}

function below(schema: Schema, part: PropertyKey): Schema[] {
  return alternatives(schema).flatMap(({ properties, items }) => {
    const child = typeof part === "number" ? items : properties?.[String(part)];
    return typeof child === "object" && !Array.isArray(child) ? [child] : [];
  });
}

function alternatives(schema: Schema): Schema[] {
  return schema.anyOf ? schema.anyOf.flatMap(alternatives) : [schema];
}
