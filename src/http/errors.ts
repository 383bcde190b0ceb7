import { CodedError, type CodedErrorOptions } from "../support/coded-error.js";

/**
 * The HTTP status and OpenAI error type of every error code. docs/reference/errors.md has a row for each code; a test
 * compares the two.
 */
export const CATALOGUE = {
  malformed_request: [400, "invalid_request_error"],
  invalid_json: [400, "invalid_request_error"],
  body_too_complex: [400, "invalid_request_error"],
  invalid_value: [400, "invalid_request_error"],
  unknown_parameter: [400, "invalid_request_error"],
  unsupported_parameter: [400, "invalid_request_error"],
  context_length_exceeded: [400, "invalid_request_error"],
  engine_rejected_request: [400, "invalid_request_error"],
  template_error: [400, "invalid_request_error"],
  tokenizer_error: [400, "invalid_request_error"],
  previous_response_not_found: [400, "invalid_request_error"],
  no_interactions: [400, "invalid_request_error"],
  interaction_not_found: [400, "invalid_request_error"],
  missing_api_key: [401, "authentication_error"],
  invalid_api_key: [401, "authentication_error"],
  wrong_key_kind: [403, "permission_error"],
  session_limit: [403, "permission_error"],
  not_found: [404, "invalid_request_error"],
  session_not_found: [404, "invalid_request_error"],
  response_not_found: [404, "invalid_request_error"],
  tokens_unavailable: [404, "invalid_request_error"],
  rollout_worker_not_found: [404, "invalid_request_error"],
  rollout_worker_name_taken: [409, "invalid_request_error"],
  model_not_found: [404, "invalid_request_error"],
  model_refused: [404, "invalid_request_error"],
  engine_server_not_found: [404, "invalid_request_error"],
  request_timeout: [408, "invalid_request_error"],
  no_engine_servers: [409, "invalid_request_error"],
  weights_busy: [409, "invalid_request_error"],
  no_weight_update: [409, "invalid_request_error"],
  engine_server_outdated: [409, "invalid_request_error"],
  session_active: [409, "invalid_request_error"],
  session_ended: [409, "invalid_request_error"],
  missing_session_id: [400, "invalid_request_error"],
  wrong_split: [409, "invalid_request_error"],
  store_closed: [409, "invalid_request_error"],
  api_key_in_use: [409, "invalid_request_error"],
  batch_not_found: [404, "invalid_request_error"],
  batch_not_exportable: [409, "invalid_request_error"],
  call_superseded: [409, "invalid_request_error"],
  call_aborted: [409, "invalid_request_error"],
  session_exported: [410, "invalid_request_error"],
  session_expired: [410, "invalid_request_error"],
  export_lease_ended: [410, "invalid_request_error"],
  body_too_large: [413, "invalid_request_error"],
  prompt_too_large: [413, "invalid_request_error"],
  unsupported_media_type: [415, "invalid_request_error"],
  weights_incomplete: [422, "invalid_request_error"],
  concat_mismatch: [422, "invalid_request_error"],
  max_length_exceeded: [422, "invalid_request_error"],
  transcript_invalid: [422, "invalid_request_error"],
  too_few_rows: [422, "invalid_request_error"],
  reward_overflow: [422, "invalid_request_error"],
  batch_too_large: [422, "invalid_request_error"],
  headers_too_large: [431, "invalid_request_error"],
  shared_memory_unavailable: [503, "server_error"],
  shared_memory_full: [507, "server_error"],
  no_capacity: [429, "rate_limit_error"],
  too_many_calls: [429, "rate_limit_error"],
  internal_error: [500, "server_error"],
  session_damaged: [500, "server_error"],
  engine_error: [502, "server_error"],
  engine_unavailable: [502, "server_error"],
  weights_failed: [502, "server_error"],
  upstream_unavailable: [502, "server_error"],
  invalid_worker_reply: [502, "server_error"],
  worker_unavailable: [503, "server_error"],
  session_exporting: [503, "server_error"],
  server_busy: [503, "server_error"],
  store_full: [503, "server_error"],
  storage_failed: [503, "server_error"],
  storage_unusable: [503, "server_error"],
  server_draining: [503, "server_error"],
  out_of_memory: [503, "server_error"],
  engine_timeout: [504, "server_error"],
  upstream_timeout: [504, "server_error"],
} as const satisfies Record<string, readonly [status: number, type: string]>;

export type ErrorCode = keyof typeof CATALOGUE;

/** Seconds after which a refused client may try again. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  no_capacity: 1,
  too_many_calls: 1,
  session_exporting: 1,
  server_busy: 1,
  store_full: 5,
  storage_failed: 5,
  server_draining: 5,
  out_of_memory: 5,
  worker_unavailable: 5,
};

/** Errors that stay the same however often the call is repeated. OpenAI's and Anthropic's SDKs repeat a call with status 500 otherwise. */
const LASTING: ReadonlySet<ErrorCode> = new Set(["session_damaged"]);

/** An error as clients receive it. Its message must not contain a stack, a file path or a secret. */
export class ApiError extends CodedError<ErrorCode> {
  override readonly name = "ApiError";
  /** A field, not a getter: Fastify assigns `statusCode` to validation errors, which throws if there is no setter. */
  readonly statusCode: number;

  constructor(code: ErrorCode, message: string, options?: CodedErrorOptions) {
    super(code, message, options);
    this.statusCode = CATALOGUE[code][0];
  }

  /** OpenAI's error type. */
  get type(): string {
    return CATALOGUE[this.code][1];
  }

  get retryAfterSeconds(): number | undefined {
    return RETRY_AFTER[this.code];
  }

  /** False if repeating the call does not help, although its status says that it may. */
  get mayBeRepeated(): boolean {
    return !LASTING.has(this.code);
  }

  /** Returns OpenAI's error body. `details` become further fields beside its four fields. */
  toBody(): { error: Record<string, unknown> } {
    const { message, type } = this;
    return { error: { message, type, param: this.param ?? null, code: this.code, ...this.details } };
  }
}

/**
 * The error of a body beyond the limit.
 *
 * @param received declared size of the body; undefined if it declares none
 * @param owner follows the name of the setting
 */
export function bodyTooLargeError(limit: number, received: number | undefined, owner = ""): ApiError {
  const size = received === undefined ? "more" : String(received);
  const message = `The request body must have at most ${limit} bytes (server.max_body_bytes${owner}); received ${size}.`;
  return new ApiError("body_too_large", message);
}

/** Fastify's own error codes. */
const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "unsupported_media_type",
  FST_ERR_CTP_INVALID_JSON_BODY: "invalid_json",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "invalid_value",
  FST_ERR_BAD_URL: "not_found",
  FST_ERR_MAX_PARAM_LENGTH: "not_found",
};

/** Maximum length of a part of a path that is a parameter, such as the id of a session. */
export const MAX_PARAM_LENGTH = 512;

/** Messages that say more than Fastify's. */
const OWN_MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    "The path is malformed: each % must begin a byte of two hexadecimal digits, and these bytes must be UTF-8.",
  FST_ERR_MAX_PARAM_LENGTH: `No route has this path: a part of it is longer than ${MAX_PARAM_LENGTH} characters.`,
};

/** Error codes of the native addon. */
const NATIVE_CODES: Readonly<Record<string, ErrorCode>> = {
  ERR_TOO_LARGE: "batch_too_large",
  ERR_OUT_OF_MEMORY: "out_of_memory",
  ERR_SHARED_FULL: "shared_memory_full",
  ERR_SHARED_UNAVAILABLE: "shared_memory_unavailable",
};

/** Returns the error to send for an error that a route threw. Unknown errors become an internal error without details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof CodedError && isKnownCode(error.code)) {
    const { code, message, param, details } = error;
    return new ApiError(code, message, { param, details, cause: error });
  }
  return fromOtherError(error);
}

function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(CATALOGUE, code);
}

/** Converts errors of Fastify, of the addon and of Node.js. */
function fromOtherError(error: unknown): ApiError {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  const message = error instanceof Error ? error.message : String(error);
  if (typeof code === "string") {
    const ownCode = FASTIFY_CODES[code] ?? NATIVE_CODES[code];
    if (ownCode) return new ApiError(ownCode, OWN_MESSAGES[code] ?? message, { cause: error });
  }
  if (error instanceof SyntaxError && statusCode === 400) {
    return new ApiError("invalid_json", `The body is not valid JSON: ${message}`, { cause: error });
  }
  // Node's error for a connection that closed in the middle of a body. Only Fastify's body reader adds the status.
  if (code === "ECONNRESET" && statusCode === 400) {
    return new ApiError("malformed_request", "The connection closed before the whole body was received.", {
      cause: error,
    });
  }
  return new ApiError("internal_error", "The server failed to answer. See its log for the cause.", { cause: error });
}
