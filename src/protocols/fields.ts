import { z } from "zod";
import { RESERVED_ARGS } from "../conversation/template-args.js";
import { withoutNulls } from "../support/json/without-nulls.js";
import { listOf } from "../support/schema/list-of.js";
import { isShallow, MAX_DEPTH } from "./depth.js";

/** Fields that requests of several protocols share. */

const MAX_STOP_STRINGS = 16;

export const TOO_DEEP = `nests deeper than ${MAX_DEPTH} levels`;

/** Text without lone surrogates, which no tokenizer takes. */
export const wellFormed = z.string().transform((value) => value.toWellFormed());

export const stopString = wellFormed.pipe(z.string().min(1, "a stop string must not be empty"));
export const stopStrings = listOf(stopString, { max: MAX_STOP_STRINGS });

export const toolName = z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/);

/** A positive number of tokens. */
export const count = z.int32().min(1);

export const jsonObject = z.record(z.string(), z.unknown()).refine(isShallow, TOO_DEEP);

// A client that writes out every option of a template sends null for those that are not set.
const templateKwargs = jsonObject.transform(withoutNulls).superRefine((given, context) => {
  const reserved = Object.keys(given).find((name) => RESERVED_ARGS.has(name));
  if (reserved === undefined) return;
  context.addIssue({
    code: "custom",
    path: [reserved],
    message: "is always the request's own, and cannot be set here",
  });
});

/** Sampling parameters that no protocol but the engines' own chat endpoints has, and every endpoint takes. */
export const engineSampling = {
  min_p: z.number().min(0).max(1).optional(),
  stop_token_ids: listOf(z.int32().min(0), { max: 64 }).optional(),
  seed: z.int().optional(),
  chat_template_kwargs: templateKwargs.optional().describe("Variables for the chat template."),
};

/** A value that asks for something that is not served. `harmless` values ask for nothing. */
export const unsupported = (name: string, harmless: (value: unknown) => boolean = () => false) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || harmless(value), {
      error: `${name} is not supported`,
      params: { unsupported: true },
    })
    .optional();

/** A field that cannot change the result. */
export const noEffect = z.unknown().optional();

/** Of tools: what only a server that runs or searches tools itself could follow. */
export const toolAccess = {
  allowed_callers: unsupported(
    "allowed_callers without direct",
    (value) => Array.isArray(value) && value.includes("direct"),
  ),
  defer_loading: unsupported("defer_loading: true", (value) => value === false),
};

export function isTyped(value: unknown, type: string): boolean {
  return typeOf(value) === type;
}

/** The `type` of an item, a part or a block; undefined where it has none. */
export function typeOf(value: unknown): string | undefined {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  return typeof type === "string" ? type : undefined;
}

export function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
