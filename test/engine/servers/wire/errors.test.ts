import { describe, expect, it } from "vitest";
import { EngineError, OtherPromptError } from "../../../../src/engine/engine.js";
import {
  abortError,
  failureError,
  failureInBody,
  generationError,
  isBroken,
  isUnavailable,
  KeyRefusedError,
  NotServedError,
  NotStartedError,
  notStarted,
  otherPrompt,
  publicText,
  removalInBody,
  replyError,
  ServerDiedError,
  saysRemoved,
  statusError,
  transportError,
  UnexplainedError,
} from "../../../../src/engine/servers/wire/errors.js";

/** Classes of failures of engine servers: of the server, of the request, and temporary ones. */

const coded = (code: string, message = "no") => Object.assign(new Error(message), { code });
const kindOf = (error: unknown): string => Object(error).constructor.name;

/** Class, code and message of an error. */
const describeError = (error: EngineError) => [kindOf(error), error.code, error.message];

describe("a failure of a connection", () => {
  const BROKEN = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];
  const UNREACHABLE = [
    "ECONNREFUSED",
    "ECONNABORTED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ETIMEDOUT",
    "UND_ERR_CONNECT_TIMEOUT",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
    "UND_ERR_CLOSED",
    "UND_ERR_DESTROYED",
  ];

  it.each(BROKEN)("with code %s is a server that closed the connection", (code) => {
    const error = transportError(coded(code), "http://a:1");
    expect(describeError(error)).toEqual([
      "EngineError",
      "engine_unavailable",
      `The engine at http://a:1 closed the connection (${code}).`,
    ]);
    expect([isUnavailable(error), isBroken(error)]).toEqual([true, true]);
  });

  it.each(UNREACHABLE)("with code %s is a server that cannot be reached", (code) => {
    const error = transportError(coded(code), "http://a:1");
    expect(error.message).toBe(`The engine at http://a:1 cannot be reached (${code}).`);
    expect([isUnavailable(error), isBroken(error)]).toEqual([true, false]);
  });

  it.each([
    [coded("HPE_INVALID_CONSTANT"), "HPE_INVALID_CONSTANT"],
    [new Error("no code"), "unknown"],
    [Object.assign(new Error("a number"), { code: 5 }), "unknown"],
    ["a text", "unknown"],
  ])("of another kind is an error of the engine: %s", (cause, code) => {
    const error = transportError(cause, "http://a:1");
    expect(describeError(error)).toEqual([
      "EngineError",
      "engine_error",
      `The request to the engine at http://a:1 failed (${code}).`,
    ]);
    expect(error.cause).toBe(cause);
    expect([isUnavailable(error), isBroken(error)]).toEqual([false, false]);
  });

  it("is returned as it is if it is an error of the engine", () => {
    const error = new EngineError("engine_timeout", "late");
    expect(transportError(error, "http://a")).toBe(error);
    expect([isUnavailable(coded("ECONNRESET")), isBroken(coded("ECONNRESET"))]).toEqual([false, false]);
  });
});

describe("an HTTP status", () => {
  const body = (message: string) => JSON.stringify({ message });

  it.each<[number, string, string, string]>([
    [401, "", "KeyRefusedError", "The engine refused the API key (HTTP 401)."],
    [404, "", "NotServedError", "The engine answered HTTP 404"],
    [405, body("no"), "NotServedError", "The engine answered HTTP 405: no"],
    [403, body("no"), "EngineError", "The engine answered HTTP 403: no"],
    [
      403,
      body("Scale-out endpoints are disabled."),
      "NotServedError",
      "The engine answered HTTP 403: Scale-out endpoints are disabled.",
    ],
    [
      400,
      body("Scale-out endpoints are disabled."),
      "EngineError",
      "The engine answered HTTP 400: Scale-out endpoints are disabled.",
    ],
    [429, body("busy"), "NotStartedError", "The engine answered HTTP 429: busy"],
    [503, "", "NotStartedError", "The engine answered HTTP 503"],
    [500, "", "UnexplainedError", "The engine answered HTTP 500"],
    [500, body("no"), "EngineError", "The engine answered HTTP 500: no"],
    [502, "", "EngineError", "The engine answered HTTP 502"],
  ])("%d with the body %j is a %s", (status, text, kind, message) => {
    expect(describeError(statusError(status, text))).toEqual([kind, "engine_error", message]);
  });

  it.each([
    ["5", 5000],
    ["", undefined],
  ])("503 says when to ask again: %j", (header, milliseconds) => {
    expect(statusError(503, "", header)).toMatchObject({ retryAfterMilliseconds: milliseconds });
  });

  it("503 of a generation says it too", () => {
    expect(generationError(503, "", "7")).toMatchObject({ retryAfterMilliseconds: 7000 });
  });

  it("finds its message in each form of engines and proxies", () => {
    const bodies = [
      { message: "a" },
      { error: { message: "a" } },
      { error: "a" },
      { detail: "a" },
      { error_message: "a" },
      { message: 5, error: { message: "a" } },
      { detail: [{ loc: 1 }], error_message: "a" },
    ];
    for (const each of bodies)
      expect(statusError(502, JSON.stringify(each)).message).toBe("The engine answered HTTP 502: a");
    expect(statusError(502, "<html>").message).toBe("The engine answered HTTP 502");
  });

  it.each<[number, string, string, string]>([
    [400, "no", "EngineError", "engine_rejected_request"],
    [413, "no", "EngineError", "engine_rejected_request"],
    [422, "no", "EngineError", "engine_rejected_request"],
    [404, "no", "NotServedError", "engine_error"],
    [500, "EngineCore encountered an issue. See stack trace", "ServerDiedError", "engine_unavailable"],
    [500, "EngineDeadError", "ServerDiedError", "engine_unavailable"],
    [503, "Request running timeout reached.", "EngineError", "engine_error"],
    [503, "no", "NotStartedError", "engine_error"],
  ])("%d with the message %j of a generation is a %s with code %s", (status, message, kind, code) => {
    const error = generationError(status, body(message), "7");
    expect([kindOf(error), error.code]).toEqual([kind, code]);
    expect(error.message).toContain(`HTTP ${status}: ${message}`);
  });
});

describe("a failure during a generation", () => {
  it.each<[string, number | undefined, number, string, string, string]>([
    ["no room", 400, 0, "EngineError", "engine_rejected_request", " (400): no room"],
    ["no room", 503, 0, "NotStartedError", "engine_error", " (503): no room"],
    ["no room", 503, 1, "EngineError", "engine_error", " (503): no room"],
    ["Running timeout", 503, 0, "EngineError", "engine_error", " (503): Running timeout"],
    ["no room", 500, 0, "EngineError", "engine_error", " (500): no room"],
    ["", 500, 0, "UnexplainedError", "engine_error", " (500)"],
    ["", 502, 0, "EngineError", "engine_error", " (502)"],
    ["no room", undefined, 0, "EngineError", "engine_error", ": no room"],
    ["EngineDeadError", 400, 3, "ServerDiedError", "engine_unavailable", " (400): EngineDeadError"],
  ])("with the message %j, status %s and %d tokens is a %s", (message, code, tokens, kind, errorCode, text) => {
    const failure = { message, ...(code !== undefined && { code }) };
    const error = failureError(failure, tokens);
    expect(describeError(error)).toEqual([kind, errorCode, `The engine failed during the generation${text}`]);
    if (code === undefined) return;
    const aborted = abortError(message, code, tokens);
    expect(describeError(aborted)).toEqual([kind, errorCode, `The engine aborted the generation${text}`]);
  });

  it.each<[unknown, object | undefined]>([
    [{ error: { message: "a", code: 400 } }, { message: "a", code: 400 }],
    [
      { error: { message: "a" }, code: 503 },
      { message: "a", code: 503 },
    ],
    [
      { object: "error", message: "a", code: 500 },
      { message: "a", code: 500 },
    ],
    [{ error: "a" }, { message: "a" }],
    [{ error: { message: "a", code: "x" } }, { message: "a" }],
    [{ error: null, message: "a" }, undefined],
    [{ object: "list", message: "a" }, undefined],
    [[1], undefined],
  ])("in a body that should be a reply: %j", (body, failure) => {
    expect(failureInBody(JSON.stringify(body))).toEqual(failure);
  });

  it.each([
    ["Abort in waiting queue", true],
    ["Abort before prefill", true],
    ["Aborted by AbortReq.", true],
    ["Aborted", false],
    ["It is said: Abort before prefill", false],
    [undefined, false],
  ])("with the message %j has removed a request before it ran: %s", (message, removed) => {
    expect(saysRemoved(message)).toBe(removed);
    const body = JSON.stringify({ error: { message } });
    expect(removalInBody(body)).toBe(removed ? message : undefined);
  });
});

describe("an error of a request that cannot have begun", () => {
  it("may be given to another server", () => {
    const cause = new EngineError("engine_unavailable", "gone");
    expect(notStarted(cause)).toMatchObject({ code: "engine_unavailable", message: "gone", cause });
    expect(notStarted(cause)).toBeInstanceOf(NotStartedError);
  });

  it("stays as it is if it is of another kind, or says so already", () => {
    for (const error of [
      new Error("other"),
      new NotStartedError("engine_error", "a"),
      new ServerDiedError("engine_error", "a"),
    ])
      expect(notStarted(error)).toBe(error);
  });
});

describe("a reply that cannot be recorded", () => {
  it.each([
    ["ERR_REPLY_MALFORMED", "The engine's reply is malformed: it is not valid JSON, or fields are missing."],
    ["ERR_REPLY_MISMATCH", "The ids, log probabilities and counts of the engine's reply do not agree."],
    ["ERR_REPLY_NOT_FINITE", "The engine's reply contains a log probability that is not a finite number."],
    ["ERR_REPLY_IMPOSSIBLE", "The engine's reply is impossible: it lies."],
  ])("with code %s is an error of the engine", (code, message) => {
    const cause = coded(code, "it lies");
    expect(replyError(cause)).toMatchObject({ name: "EngineError", code: "engine_error", message, cause });
  });

  it("names a prompt with other tokens", () => {
    const error = replyError(coded("ERR_REPLY_OTHER_PROMPT", "token 3 is 5"));
    expect(error).toBeInstanceOf(OtherPromptError);
    expect(Object(error).message).toMatch(/^The engine used another prompt: token 3 is 5\. .*pixel limits/);
    expect(otherPrompt("it differs").code).toBe("engine_error");
  });

  it("of another kind is returned as it is", () => {
    for (const error of [coded("ENOENT"), { code: "ERR_REPLY_IMPOSSIBLE" }, { code: "ERR_REPLY_OTHER_PROMPT" }])
      expect(replyError(error)).toBe(error);
  });
});

describe("a server's message", () => {
  it("is shown without prompts, paths and further lines", () => {
    expect(publicText("a [1, 2,3 , 4] b -1,-2,-3,-4 at /usr/lib/x.py: no\nTraceback")).toBe("a […] b … at …: no");
    expect(publicText("1, 2, 3 and /tmp")).toBe("1, 2, 3 and /tmp");
    expect(publicText("")).toBe("");
  });

  it("is shortened", () => {
    expect(publicText("x".repeat(260))).toBe("x".repeat(260));
    expect(publicText("x".repeat(261))).toBe(`${"x".repeat(259)}…`);
  });
});

describe("the kinds of errors", () => {
  it("have different classes", () => {
    expect(new KeyRefusedError("engine_unavailable")).toMatchObject({ code: "engine_unavailable" });
    expect(statusError(404, "")).toBeInstanceOf(NotServedError);
    expect(statusError(500, "")).toBeInstanceOf(UnexplainedError);
    expect(new NotStartedError("engine_error", "a").retryAfterMilliseconds).toBeUndefined();
  });
});
