import { EngineError, type EngineErrorCode } from "../../engine.js";
/** A server did not begin with a request, so another server may get it. */
export declare class NotStartedError extends EngineError {
    /** Time to wait before a retry; undefined if the server names none. */
    readonly retryAfterMilliseconds: number | undefined;
    constructor(code: EngineErrorCode, message: string, options?: ErrorOptions & {
        retryAfterMilliseconds?: number;
    });
}
/** A server does not have the requested endpoint: HTTP 404 or 405. */
export declare class NotServedError extends EngineError {
}
/** A server refused the API key, or requires one although none is configured: HTTP 401. */
export declare class KeyRefusedError extends EngineError {
    static readonly STATUS = 401;
    constructor(code: EngineErrorCode);
}
/** Returns true if a server is unreachable or takes no requests now. */
export declare function isUnavailable(error: unknown): boolean;
/**
 * Returns the error for a request without a complete reply.
 *
 * @param origin scheme, host and port of the server; without the user name and password that a URL may contain
 */
export declare function transportError(error: unknown, origin: string): EngineError;
/** Returns true if a request failed because its connection broke. */
export declare function isBroken(error: unknown): boolean;
/**
 * Returns the error for a reply with an HTTP status other than 200.
 *
 * @param retryAfter value of the header Retry-After
 */
export declare function statusError(status: number, body: string, retryAfter?: string): EngineError;
/** Returns the error for a generation whose HTTP status is not 200. */
export declare function generationError(status: number, body: string, retryAfter: string): EngineError;
/** Reads a Retry-After header (RFC 9110, 10.2.3): seconds or a date. Limited to a minute, because a retry is cheap. */
export declare function retryAfterMilliseconds(header: string): number | undefined;
/**
 * Returns the error for a generation that the engine aborted with a status code.
 *
 * @param tokens number of tokens that were generated before
 */
export declare function abortError(message: string | undefined, statusCode: number, tokens: number): EngineError;
/** Returns the error for a stream that contains an error message. */
export declare function streamError(message: string): EngineError;
/** Returns the same error as a {@link NotStartedError}, for a request that cannot have begun. */
export declare function notStarted(error: unknown): unknown;
/** Returns the error for a reply whose tokens could not be recorded; other errors are returned unchanged. */
export declare function replyError(error: unknown): unknown;
export declare function errorCode(error: unknown): string;
/** Returns the error message of a body that was sent instead of a reply; undefined if the body is not an error. */
export declare function errorInBody(body: string): string | undefined;
/** Returns the first line of a server's message, shortened, without lists of numbers (prompts) and file paths. */
export declare function publicText(message: string): string;
