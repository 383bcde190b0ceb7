import { IGNORED_FIELDS } from "../../../src/protocols/ignored-fields.js";

/** The effect of a request field, tested with `value`. `beside`: other fields that it needs. */
export type Field =
  /** The prompt, the engine's parameters or the answer change. */
  | { readonly is: "honoured"; readonly value: unknown; readonly beside?: object }
  /** The request is refused with a 400 that names the field. */
  | { readonly is: "400"; readonly value: unknown; readonly beside?: object }
  /** The field is accepted and ignored. */
  | { readonly is: "no effect"; readonly value: unknown; readonly beside?: object };

export const honoured = (value: unknown, beside: object = {}): Field => ({ is: "honoured", value, beside });
export const refused = (value: unknown, beside: object = {}): Field => ({ is: "400", value, beside });
export const ignored = (value: unknown, beside: object = {}): Field => ({ is: "no effect", value, beside });

/** All fields of the SDK's request type. The compiler checks that none is missing. */
export type Fields<Request> = Readonly<Record<keyof Request & string, Field>>;

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

/** Parameters of inference engines that every endpoint accepts. */
export const ENGINE_FIELDS = {
  top_k: honoured(5),
  min_p: honoured(0.1),
  seed: honoured(7),
  stop_token_ids: honoured([301]),
  repetition_penalty: honoured(1.2),
  min_tokens: honoured(2),
  ignore_eos: honoured(true),
  logit_bias: honoured({ 5: 1 }),
  chat_template_kwargs: honoured({ enable_thinking: false }),
} as const;

/** Fields of other model servers that ask for nothing, or that are refused if they do. */
export const SERVER_FIELDS = {
  return_token_ids: honoured(true),
  extra_body: ignored({}),
  ...Object.fromEntries(
    Object.entries(IGNORED_FIELDS).map(([name, row]) => [name, "only" in row ? refused(!row.only) : ignored("x")]),
  ),
};

export const FORMAT = { type: "json_schema", name: "n", schema: SCHEMA };
export const PARAMETERS = SCHEMA;
