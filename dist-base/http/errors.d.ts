import { CodedError, type CodedErrorOptions } from "../support/coded-error.js";
/**
 * The HTTP status and OpenAI error type of every error code. docs/reference/errors.md has a row for each code; a test
 * compares the two.
 */
export declare const CATALOGUE: {
    readonly malformed_request: readonly [400, "invalid_request_error"];
    readonly invalid_json: readonly [400, "invalid_request_error"];
    readonly body_too_complex: readonly [400, "invalid_request_error"];
    readonly invalid_value: readonly [400, "invalid_request_error"];
    readonly unknown_parameter: readonly [400, "invalid_request_error"];
    readonly unsupported_parameter: readonly [400, "invalid_request_error"];
    readonly context_length_exceeded: readonly [400, "invalid_request_error"];
    readonly engine_rejected_request: readonly [400, "invalid_request_error"];
    readonly template_error: readonly [400, "invalid_request_error"];
    readonly tokenizer_error: readonly [400, "invalid_request_error"];
    readonly previous_response_not_found: readonly [400, "invalid_request_error"];
    readonly no_interactions: readonly [400, "invalid_request_error"];
    readonly interaction_not_found: readonly [400, "invalid_request_error"];
    readonly missing_api_key: readonly [401, "authentication_error"];
    readonly invalid_api_key: readonly [401, "authentication_error"];
    readonly wrong_key_kind: readonly [403, "permission_error"];
    readonly session_limit: readonly [403, "permission_error"];
    readonly not_found: readonly [404, "invalid_request_error"];
    readonly session_not_found: readonly [404, "invalid_request_error"];
    readonly response_not_found: readonly [404, "invalid_request_error"];
    readonly tokens_unavailable: readonly [404, "invalid_request_error"];
    readonly rollout_worker_not_found: readonly [404, "invalid_request_error"];
    readonly model_refused: readonly [404, "invalid_request_error"];
    readonly engine_server_not_found: readonly [404, "invalid_request_error"];
    readonly method_not_allowed: readonly [405, "invalid_request_error"];
    readonly request_timeout: readonly [408, "invalid_request_error"];
    readonly no_engine_servers: readonly [409, "invalid_request_error"];
    readonly weights_busy: readonly [409, "invalid_request_error"];
    readonly no_weight_update: readonly [409, "invalid_request_error"];
    readonly engine_server_outdated: readonly [409, "invalid_request_error"];
    readonly session_active: readonly [409, "invalid_request_error"];
    readonly session_ended: readonly [409, "invalid_request_error"];
    readonly store_closed: readonly [409, "invalid_request_error"];
    readonly api_key_in_use: readonly [409, "invalid_request_error"];
    readonly batch_not_found: readonly [404, "invalid_request_error"];
    readonly batch_not_exportable: readonly [409, "invalid_request_error"];
    readonly call_superseded: readonly [409, "invalid_request_error"];
    readonly call_aborted: readonly [409, "invalid_request_error"];
    readonly session_exported: readonly [410, "invalid_request_error"];
    readonly session_expired: readonly [410, "invalid_request_error"];
    readonly export_lease_ended: readonly [410, "invalid_request_error"];
    readonly body_too_large: readonly [413, "invalid_request_error"];
    readonly prompt_too_large: readonly [413, "invalid_request_error"];
    readonly unsupported_media_type: readonly [415, "invalid_request_error"];
    readonly concat_mismatch: readonly [422, "invalid_request_error"];
    readonly max_length_exceeded: readonly [422, "invalid_request_error"];
    readonly transcript_invalid: readonly [422, "invalid_request_error"];
    readonly too_few_rows: readonly [422, "invalid_request_error"];
    readonly reward_overflow: readonly [422, "invalid_request_error"];
    readonly batch_too_large: readonly [422, "invalid_request_error"];
    readonly headers_too_large: readonly [431, "invalid_request_error"];
    readonly shared_memory_unavailable: readonly [503, "server_error"];
    readonly shared_memory_full: readonly [507, "server_error"];
    readonly no_capacity: readonly [429, "rate_limit_error"];
    readonly too_many_calls: readonly [429, "rate_limit_error"];
    readonly internal_error: readonly [500, "server_error"];
    readonly engine_error: readonly [502, "server_error"];
    readonly engine_unavailable: readonly [502, "server_error"];
    readonly weights_failed: readonly [502, "server_error"];
    readonly upstream_unavailable: readonly [502, "server_error"];
    readonly invalid_worker_reply: readonly [502, "server_error"];
    readonly worker_unavailable: readonly [503, "server_error"];
    readonly session_exporting: readonly [503, "server_error"];
    readonly server_busy: readonly [503, "server_error"];
    readonly store_full: readonly [503, "server_error"];
    readonly storage_failed: readonly [503, "server_error"];
    readonly storage_unusable: readonly [503, "server_error"];
    readonly server_draining: readonly [503, "server_error"];
    readonly out_of_memory: readonly [503, "server_error"];
    readonly engine_timeout: readonly [504, "server_error"];
    readonly upstream_timeout: readonly [504, "server_error"];
};
export type ErrorCode = keyof typeof CATALOGUE;
/** An error as clients receive it. Its message must not contain a stack, a file path or a secret. */
export declare class ApiError extends CodedError<ErrorCode> {
    readonly name = "ApiError";
    /** A field, not a getter: Fastify assigns `statusCode` to validation errors, which throws if there is no setter. */
    readonly statusCode: number;
    constructor(code: ErrorCode, message: string, options?: CodedErrorOptions);
    /** OpenAI's error type. */
    get type(): string;
    get retryAfterSeconds(): number | undefined;
    /** Returns OpenAI's error body. `details` become further fields beside its four fields. */
    toBody(): {
        error: Record<string, unknown>;
    };
}
/**
 * The error of a body beyond the limit.
 *
 * @param received declared size of the body; undefined if it declares none
 * @param owner follows the name of the setting
 */
export declare function bodyTooLargeError(limit: number, received: number | undefined, owner?: string): ApiError;
/** Maximum length of a part of a path that is a parameter, such as the id of a session. */
export declare const MAX_PARAM_LENGTH = 512;
/** Returns the error to send for an error that a route threw. Unknown errors become an internal error without details. */
export declare function toApiError(error: unknown): ApiError;
