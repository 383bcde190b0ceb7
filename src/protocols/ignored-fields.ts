import { z } from "zod";
import { RequestError } from "./request-error.js";

/**
 * Fields of other model servers that trainers and gateways send, with the values that ask for nothing here. A response header
 * names those that a request has. Other values would change the result, so they are refused.
 */

interface IgnoredField {
  /** The only value without effect. Absent: no value has an effect. */
  readonly only?: boolean;
  /** The reason why such values have no effect, for the documentation. */
  readonly why: string;
}

export const IGNORED_FIELDS = {
  session_id: { why: "the key selects the session" },
  request_id: { why: "the answer's id is the interaction's; the log has the id of `x-request-id`" },
  rid: { why: "as `request_id`, in SGLang" },
  cache_salt: { why: "it separates prefix caches, which do not change what is sampled" },
  priority: { why: "it orders requests, which does not change what is sampled" },
  skip_special_tokens: { why: "the text never has special tokens; `token_ids` and `logprobs` have all of them" },
  spaces_between_special_tokens: { why: "as `skip_special_tokens`" },
  add_special_tokens: { only: false, why: "the chat template adds the special tokens" },
  include_stop_str_in_output: { only: false, why: "the text ends before a stop string; `token_ids` has its tokens" },
  include_reasoning: { only: true, why: "the answer contains the reasoning" },
  separate_reasoning: { only: true, why: "the reasoning is apart from the text" },
  return_sampling_mask: { only: false, why: "exports have the sampling masks" },
  return_meta_info: { only: false, why: "the answer has no `meta_info`" },
} as const satisfies Readonly<Record<string, IgnoredField>>;

type IgnoredName = keyof typeof IGNORED_FIELDS;

/** Begins OpenAI's message about unknown fields. Harbor, for example, repeats a request without its extra fields if it reads this. */
const UNRECOGNIZED = "Unrecognized request argument";

/** Error messages show at most this many characters of an unknown field's name. */
const MAX_SHOWN_NAME = 100;

const ROWS: ReadonlyMap<string, IgnoredField> = new Map(Object.entries(IGNORED_FIELDS));

function asksForNothing({ only }: IgnoredField, value: unknown): boolean {
  return value === undefined || value === null || only === undefined || value === only;
}

/** A field whose value is dropped. Its parsed value is true if the request has it. */
const ignored = (name: string, row: IgnoredField) =>
  z
    .unknown()
    .refine((value) => asksForNothing(row, value), {
      error: `${UNRECOGNIZED}: \`${name}\` can only be ${row.only}.`,
      params: { unsupported: true },
    })
    .transform((value) => (value === undefined || value === null ? undefined : true))
    .optional();

const fields = Object.fromEntries([...ROWS].map(([name, row]) => [name, ignored(name, row)]));

/** Returns the names of the fields of `extra_body` that ask for something. */
function listAsked(extra: Readonly<Record<string, unknown>>): string[] {
  const asks = (name: string) => {
    const row = ROWS.get(name);
    return row ? !asksForNothing(row, extra[name]) : extra[name] !== null;
  };
  return Object.keys(extra).filter(asks);
}

/** The fields of a request that have no effect. */
export const ignoredFields = {
  ...(fields as { readonly [Name in IgnoredName]: ReturnType<typeof ignored> }),
  extra_body: z
    .record(z.string(), z.unknown())
    .transform(listAsked)
    .optional()
    .describe(
      "An object that an SDK should have merged into the request. Its fields must be in the request itself, too.",
    ),
};

type Ignored = { readonly [Name in keyof typeof ignoredFields]?: unknown } & {
  readonly extra_body?: readonly string[] | undefined;
};

/**
 * Returns the names of the fields of a request that have no effect.
 *
 * @throws RequestError if `extra_body` has a field that the request itself lacks, because that would be ignored too
 */
export function listIgnoredFields(request: Ignored): string[] {
  const missing = request.extra_body?.find((name) => !(name in request));
  if (missing !== undefined) {
    const param = `extra_body.${missing.slice(0, MAX_SHOWN_NAME)}`;
    throw new RequestError(
      param,
      `${UNRECOGNIZED}: \`${param}\`. Put the field into the request itself.`,
      "unsupported_parameter",
    );
  }
  const named = [...ROWS.keys()].filter((name) => request[name as IgnoredName] === true);
  return request.extra_body ? [...named, "extra_body"] : named;
}
