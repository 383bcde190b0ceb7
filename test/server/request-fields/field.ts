/** What becomes of a field of a request, shown by a value that asks for something. */
export type Field =
  /** The engine is given another prompt or other parameters, or the answer is another one. */
  | { readonly is: "honoured"; readonly value: unknown; readonly beside?: object }
  /** 400 that names the field. */
  | { readonly is: "400"; readonly value: unknown; readonly beside?: object }
  /** As if it were not there. */
  | { readonly is: "no effect"; readonly value: unknown; readonly beside?: object };

export const honoured = (value: unknown, beside: object = {}): Field => ({ is: "honoured", value, beside });
export const refused = (value: unknown, beside: object = {}): Field => ({ is: "400", value, beside });
export const ignored = (value: unknown, beside: object = {}): Field => ({ is: "no effect", value, beside });

/** Fields of the SDK's request, all of them, and of the engines' by the names that they have there. */
export type Fields<Request> = Readonly<Record<keyof Request & string, Field>>;

const SCHEMA = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

/** The engines' own parameters, which every endpoint takes. */
export const ENGINE_FIELDS = {
  top_k: honoured(5),
  min_p: honoured(0.1),
  seed: honoured(7),
  stop_token_ids: honoured([301]),
  chat_template_kwargs: honoured({ enable_thinking: false }),
} as const;

export const FORMAT = { type: "json_schema", name: "n", schema: SCHEMA };
export const PARAMETERS = SCHEMA;
