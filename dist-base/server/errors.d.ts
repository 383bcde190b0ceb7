import { ApiError } from "../http/errors.js";
/** Returns the error to send for an error that a route threw, including errors of the chat template and the tokenizer. */
export declare function toApiError(error: unknown): ApiError;
