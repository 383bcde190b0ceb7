import { z } from "zod";
import { findNearestName } from "../support/nearest-name.js";
import { ApiError } from "./errors.js";

/** Longest part of an unknown field's name that an error shows, in characters. */
const SHOWN_LENGTH = 100;

export type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;

/** Returns the first issue about an unknown field at the top of a body; undefined if there is none. */
export function topUnknownKeys({ issues }: z.ZodError): UnknownKeys | undefined {
  return issues.filter((issue) => issue.code === "unrecognized_keys").find(({ path }) => path.length === 0);
}

/**
 * Returns the error for an unknown field, with the nearest field that `schema` has in the same place.
 *
 * @param parent path of the object with the field, as errors show it; empty for the body itself
 */
export function unknownFieldError(schema: z.ZodType, { keys, path }: UnknownKeys, parent: string): ApiError {
  const name = (keys[0] ?? "").slice(0, SHOWN_LENGTH);
  const inPlace = (field: string) => (parent === "" ? field : `${parent}.${field}`);
  const known = fieldsAt(schema, path);
  const advice = known === undefined ? "" : ` ${adviceFrom(known, name, inPlace)}`;
  return new ApiError("unknown_parameter", `Unknown parameter: \`${inPlace(name)}\`.${advice}`, {
    param: inPlace(name),
  });
}

function adviceFrom(known: readonly string[], name: string, inPlace: (field: string) => string): string {
  if (known.length === 0) return "This call takes no parameters.";
  return `Did you mean \`${inPlace(findNearestName(name, known))}\`?`;
}

/** Returns the fields of the object at `path`; undefined if the schema does not say, as in a union. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] | undefined {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return undefined;
  const shape: Readonly<Record<PropertyKey, z.core.$ZodType>> = inner.shape;
  const [key, ...rest] = path;
  if (key === undefined) return Object.keys(shape);
  const field = shape[key];
  return field && fieldsAt(field, rest);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrapped(schema.unwrap());
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}
