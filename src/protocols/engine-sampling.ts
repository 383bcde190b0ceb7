import { z } from "zod";
import { RESERVED_ARGS } from "../conversation/template-args.js";
import {
  PARAMETERS,
  type ParameterField,
  type ParameterName,
  type Sampling,
  type TokenBias,
} from "../facts/sampling.js";
import { withoutNulls } from "../support/json/without-nulls.js";
import { listOf } from "../support/schema/list-of.js";
import { jsonObjectSchema } from "./fields.js";

/** Fields that the APIs do not define, under the names that SGLang's and vLLM's own chat endpoints use. */

/** The limit exists because each interaction of a session keeps its template variables: long ones would fill the memory. */
const MAX_TEMPLATE_KWARGS_LENGTH = 65_536;

// Clients that send every option of a template send null for the options that are not set.
const templateKwargs = jsonObjectSchema.transform(withoutNulls).superRefine((args, context) => {
  if (JSON.stringify(args).length > MAX_TEMPLATE_KWARGS_LENGTH) {
    context.addIssue({
      code: "custom",
      message: `must have at most ${MAX_TEMPLATE_KWARGS_LENGTH} characters as JSON`,
    });
    return;
  }
  const reserved = Object.keys(args).find((name) => RESERVED_ARGS.has(name));
  if (reserved === undefined) return;
  context.addIssue({
    code: "custom",
    path: [reserved],
    message: "is reserved: the proxy sets this variable from the request",
  });
});

const MAX_BIASED_TOKENS = 1024;

const TOKEN_ID = /^(?:0|[1-9][0-9]{0,9})$/;

const logitBias = z
  .record(z.string(), z.number().min(-100).max(100))
  .superRefine((biases, context) => {
    const ids = Object.keys(biases);
    const invalid = ids.find((id) => !TOKEN_ID.test(id));
    if (invalid !== undefined) {
      const received = JSON.stringify(invalid.slice(0, 100));
      context.addIssue({ code: "custom", message: `keys must be token ids; received ${received}` });
    } else if (ids.length > MAX_BIASED_TOKENS) {
      const message = `must have at most ${MAX_BIASED_TOKENS} tokens; received ${ids.length}`;
      context.addIssue({ code: "custom", message });
    }
  })
  .transform((biases): TokenBias[] =>
    Object.entries(biases)
      .map(([id, bias]) => [Number(id), bias] as const)
      .filter(([, bias]) => bias !== 0)
      .sort(([a], [b]) => a - b),
  );

type Table = typeof PARAMETERS;

/** The parameters that every endpoint takes under their JSON names. */
type SharedFields = {
  readonly [Name in ParameterName as Table[Name] extends { everywhere: true }
    ? Table[Name]["json"]
    : never]: z.ZodOptional<Table[Name]["schema"]>;
};

const ROWS = Object.entries(PARAMETERS);

const sharedFields = Object.fromEntries(
  ROWS.flatMap(([, row]) => ("everywhere" in row ? [[row.json, optional(row.schema)]] : [])),
) as SharedFields;

/** Like `schema.optional()`, but the description stays where OpenAPI readers expect it: before the type. */
function optional(schema: z.ZodType): z.ZodType {
  return schema.description === undefined ? schema.optional() : schema.optional().describe(schema.description);
}

/**
 * Python programs send seeds of 63 or 64 bits, but JavaScript's numbers have 53. Of a larger seed, only the bits above the lowest 11
 * are used: they are not rounded, and engines and records accept them.
 */
const seed = z
  .number()
  .meta({ type: "integer" })
  .refine((value) => Number.isInteger(value), "must be an integer")
  .transform((value) => (Number.isSafeInteger(value) ? value : Math.trunc(value / 2 ** 11)))
  .pipe(z.int());

/** Every endpoint accepts these fields. */
export const engineSampling = {
  ...sharedFields,
  logit_bias: logitBias.optional().describe("Token ids and what is added to their logits."),
  stop_token_ids: listOf(z.int32().min(0), { max: 64 }).optional(),
  seed: seed.optional(),
  chat_template_kwargs: templateKwargs
    .optional()
    .describe(`Variables for the chat template; at most ${MAX_TEMPLATE_KWARGS_LENGTH} characters as JSON.`),
};

/** Fields of a request that have the names of the table. */
type ParameterFields = { readonly [Field in ParameterField]?: number | boolean | undefined } & {
  readonly logit_bias?: readonly TokenBias[] | undefined;
  readonly stop_token_ids?: readonly number[] | undefined;
};

/** Returns the parameters that a request has under their JSON names. The others are off. */
export function readParameters(request: ParameterFields): Pick<Sampling, ParameterName | "logitBias" | "stopTokenIds"> {
  const { logit_bias: logitBias = [], stop_token_ids: stopTokenIds = [] } = request;
  const parameters: Record<string, unknown> = { logitBias, stopTokenIds };
  for (const [name, { json, missing }] of ROWS) parameters[name] = request[json] ?? missing;
  return parameters as Pick<Sampling, ParameterName | "logitBias" | "stopTokenIds">;
}
