import { describe, expect, it } from "vitest";
import { toSocketApiError } from "../../src/http/client-error.js";
import { ApiError, bodyTooLargeError, CATALOGUE, type ErrorCode, toApiError } from "../../src/http/errors.js";
import { CodedError } from "../../src/support/coded-error.js";

class OtherError extends CodedError {}

/** OpenAI's type of an error by its status. Those of other statuses below 500 are mistakes in a request. */
const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

describe("an error of the API", () => {
  it.each(Object.keys(CATALOGUE) as ErrorCode[])("has the type of its status if it is %s", (code) => {
    const { statusCode, type } = new ApiError(code, "");
    expect(type).toBe(TYPES[statusCode] ?? (statusCode < 500 ? "invalid_request_error" : "server_error"));
  });

  it("has OpenAI's body, with its details beside the four fields", () => {
    const error = new ApiError("session_active", "It is active.", {
      param: "session_ids",
      details: { sessions: ["a"] },
    });
    expect([error.statusCode, error.name]).toEqual([409, "ApiError"]);
    expect(error.toBody()).toEqual({
      error: {
        message: "It is active.",
        type: "invalid_request_error",
        param: "session_ids",
        code: "session_active",
        sessions: ["a"],
      },
    });
    expect(new ApiError("engine_error", "").toBody().error).toMatchObject({ type: "server_error", param: null });
  });

  it.each<[ErrorCode, number | undefined, boolean]>([
    ["no_capacity", 1, true],
    ["store_full", 5, true],
    ["internal_error", undefined, true],
    ["session_damaged", undefined, false],
  ])("%s says when and if the call may be repeated", (code, seconds, mayBeRepeated) => {
    const error = new ApiError(code, "");
    expect([error.retryAfterSeconds, error.mayBeRepeated]).toEqual([seconds, mayBeRepeated]);
  });

  it("for a body beyond the limit names the limit, its setting and the size", () => {
    expect(bodyTooLargeError(8, 9)).toMatchObject({
      code: "body_too_large",
      message: "The request body must have at most 8 bytes (server.max_body_bytes); received 9.",
    });
    expect(bodyTooLargeError(8, undefined, " of the gateway").message).toBe(
      "The request body must have at most 8 bytes (server.max_body_bytes of the gateway); received more.",
    );
  });
});

describe("an error that a route threw", () => {
  const withCode = (error: Error, code: string, statusCode?: number) => Object.assign(error, { code, statusCode });

  it("stays itself if it is an error of the API", () => {
    const error = new ApiError("not_found", "");
    expect(toApiError(error)).toBe(error);
  });

  it("keeps its code, message, field and details if the code is known", () => {
    const error = new OtherError("session_ended", "It has ended.", { param: "a", details: { b: 1 } });
    expect(toApiError(error)).toMatchObject({
      statusCode: 409,
      code: "session_ended",
      message: "It has ended.",
      param: "a",
      details: { b: 1 },
      cause: error,
    });
  });

  it.each<[string, unknown, string, RegExp]>([
    [
      "of Fastify",
      withCode(new Error("type x"), "FST_ERR_CTP_INVALID_MEDIA_TYPE"),
      "unsupported_media_type",
      /^type x$/,
    ],
    [
      "of Fastify with a better text",
      withCode(new Error("x"), "FST_ERR_BAD_URL"),
      "not_found",
      /^The path is malformed/,
    ],
    [
      "about a long path",
      withCode(new Error("x"), "FST_ERR_MAX_PARAM_LENGTH"),
      "not_found",
      /longer than 512 characters/,
    ],
    ["of the addon", withCode(new Error("4 GiB"), "ERR_TOO_LARGE"), "batch_too_large", /^4 GiB$/],
    ["of the addon without memory", withCode(new Error("x"), "ERR_OUT_OF_MEMORY"), "out_of_memory", /^x$/],
    ["of full shared memory", withCode(new Error("x"), "ERR_SHARED_FULL"), "shared_memory_full", /^x$/],
    ["of no shared memory", withCode(new Error("x"), "ERR_SHARED_UNAVAILABLE"), "shared_memory_unavailable", /^x$/],
    ["about a wrong length", withCode(new Error("x"), "FST_ERR_CTP_INVALID_CONTENT_LENGTH"), "invalid_value", /^x$/],
    [
      "of a JSON parser",
      Object.assign(new SyntaxError("at 5"), { statusCode: 400 }),
      "invalid_json",
      /not valid JSON: at 5$/,
    ],
    ["of a cut body", withCode(new Error("x"), "ECONNRESET", 400), "malformed_request", /before the whole body/],
    ["of another connection", withCode(new Error("x"), "ECONNRESET"), "internal_error", /See its log/],
    ["of our own code", new SyntaxError("at 5"), "internal_error", /See its log/],
    ["with an unknown code", new OtherError("no_such_code", "secret"), "internal_error", /See its log/],
    ["that is a text", "secret", "internal_error", /See its log/],
  ])("is told to the client if it is one %s", (_, thrown, code, message) => {
    const error = toApiError(thrown);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.cause).toBe(thrown);
  });
});

describe("a request that is not HTTP", () => {
  it.each([
    ["ERR_HTTP_REQUEST_TIMEOUT", "request_timeout", 408],
    ["HPE_HEADER_OVERFLOW", "headers_too_large", 431],
    ["HPE_INVALID_METHOD", "malformed_request", 400],
    [undefined, "malformed_request", 400],
  ])("is refused, by Node's code %s, with %s", (code, refusal, status) => {
    expect(toSocketApiError(Object.assign(new Error("x"), { code }))).toMatchObject({
      code: refusal,
      statusCode: status,
    });
  });
});
