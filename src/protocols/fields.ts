import { z } from "zod";
import { listOf } from "../support/schema/list-of.js";
import { isShallow, MAX_DEPTH } from "./depth.js";

/** Fields that requests of several protocols share. */

const MAX_STOP_STRINGS = 16;

/** The limit exists because every part of the output is searched for the stop strings. */
const MAX_STOP_LENGTH = 1024;

/** The limit exists because the name is part of the digest that finds retries. Only its beginning is recorded. */
export const MAX_MODEL_LENGTH = 1024;

export const TOO_DEEP = `nests deeper than ${MAX_DEPTH} levels`;

/** Text. Lone surrogates, which no tokenizer accepts, become U+FFFD. */
export const wellFormed = z.string().transform((value) => value.toWellFormed());

/** No id of Rolltape is longer, so longer ids are not looked up. */
const MAX_ID_LENGTH = 1024;

/** The id of a response or of an item of its output. */
export const responseId = z.string().max(MAX_ID_LENGTH, `must have at most ${MAX_ID_LENGTH} characters`);

/** The name of the requested model. Any name is answered by the served model. */
export const requestedModel = z.string().max(MAX_MODEL_LENGTH, `must have at most ${MAX_MODEL_LENGTH} characters`);

export const stopString = z
  .string()
  .max(MAX_STOP_LENGTH, `a stop string must have at most ${MAX_STOP_LENGTH} characters`)
  .min(1, "a stop string must not be empty")
  .transform((value) => value.toWellFormed());
export const stopStrings = listOf(stopString, { max: MAX_STOP_STRINGS });

export const toolName = z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/);

/** A positive number of tokens. */
export const count = z.int32().min(1);

export const jsonObjectSchema = z.record(z.string(), z.unknown()).refine(isShallow, TOO_DEEP);

/**
 * A field that asks for something unsupported.
 *
 * @param name the unsupported field or value, for the error message
 * @param harmless returns true for values that ask for nothing; these are accepted, like null
 */
export const unsupported = (name: string, harmless: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || harmless(value), {
      error: `${name} is not supported`,
      params: { unsupported: true },
    })
    .optional();

/** A field that cannot change the result. Its value is dropped, so that no record of the call keeps it. */
export const noEffect = z
  .unknown()
  .transform(() => undefined)
  .optional();

/** Fields of tools that apply only to a server that runs or searches tools itself. */
export const toolAccess = {
  allowed_callers: unsupported(
    "allowed_callers without direct",
    (value) => Array.isArray(value) && value.includes("direct"),
  ),
  defer_loading: unsupported("defer_loading: true", (value) => value === false),
};

/** Returns the `type` of an item, a part or a block; undefined if it has none. */
export function readType(value: unknown): string | undefined {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  return typeof type === "string" ? type : undefined;
}

/** Returns a test that is true for this value only. */
export const isDefault = (value: unknown) => (received: unknown) => received === value;

export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
