import { ApiError } from "../http/errors.js";
/** Returns the error to send for an error that a route threw. Option names are spelled as in HTTP bodies. */
export declare function toApiError(error: unknown): ApiError;
