import { type Document, type Operation } from "./document.js";
import type { OperationFacts } from "./operations.js";
export declare const ERROR_SCHEMAS: {
    ErrorCode: {
        type: string;
        enum: ("api_key_in_use" | "batch_not_exportable" | "batch_not_found" | "batch_too_large" | "body_too_complex" | "body_too_large" | "call_aborted" | "call_superseded" | "concat_mismatch" | "context_length_exceeded" | "engine_error" | "engine_rejected_request" | "engine_server_not_found" | "engine_server_outdated" | "engine_timeout" | "engine_unavailable" | "export_lease_ended" | "headers_too_large" | "interaction_not_found" | "internal_error" | "invalid_api_key" | "invalid_json" | "invalid_value" | "invalid_worker_reply" | "malformed_request" | "max_length_exceeded" | "method_not_allowed" | "missing_api_key" | "model_refused" | "no_capacity" | "no_engine_servers" | "no_interactions" | "no_weight_update" | "not_found" | "out_of_memory" | "previous_response_not_found" | "prompt_too_large" | "request_timeout" | "response_not_found" | "reward_overflow" | "rollout_worker_not_found" | "server_busy" | "server_draining" | "session_active" | "session_ended" | "session_expired" | "session_exported" | "session_exporting" | "session_limit" | "session_not_found" | "shared_memory_full" | "shared_memory_unavailable" | "storage_failed" | "storage_unusable" | "store_closed" | "store_full" | "template_error" | "tokenizer_error" | "tokens_unavailable" | "too_few_rows" | "too_many_calls" | "transcript_invalid" | "unknown_parameter" | "unsupported_media_type" | "unsupported_parameter" | "upstream_timeout" | "upstream_unavailable" | "weights_busy" | "weights_failed" | "worker_unavailable" | "wrong_key_kind")[];
    };
    Error: {
        type: string;
        properties: {
            error: {
                type: string;
                properties: {
                    message: {
                        type: string;
                    };
                    type: {
                        type: string;
                        enum: ("authentication_error" | "invalid_request_error" | "permission_error" | "rate_limit_error" | "server_error")[];
                    };
                    param: {
                        type: string[];
                        description: string;
                    };
                    code: {
                        readonly $ref: string;
                    };
                };
                required: string[];
            };
        };
        required: string[];
    };
    AnthropicError: {
        type: string;
        properties: {
            type: {
                type: string;
                const: string;
            };
            error: {
                type: string;
                properties: {
                    type: {
                        type: string;
                    };
                    message: {
                        type: string;
                    };
                    code: {
                        readonly $ref: string;
                    };
                    param: {
                        type: string[];
                        description: string;
                    };
                };
                required: string[];
            };
        };
        required: string[];
    };
    GoogleError: {
        type: string;
        properties: {
            error: {
                type: string;
                properties: {
                    code: {
                        type: string;
                        description: string;
                    };
                    message: {
                        type: string;
                    };
                    status: {
                        type: string;
                    };
                    details: {
                        type: string;
                        items: {
                            type: string;
                            additionalProperties: boolean;
                        };
                        description: string;
                    };
                };
                required: string[];
            };
        };
        required: string[];
    };
};
/** Returns the answers that the operations of a document refer to, by their names. */
export declare function errorAnswers({ paths }: Document): Record<string, object>;
/** Adds the error answers of an operation. Answers that its route describes itself stay. */
export declare function addErrors(path: string, operation: Operation, facts: OperationFacts): void;
