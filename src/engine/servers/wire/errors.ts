import type { EngineFailure } from "../../../native/contract.js";
import { EngineError, type EngineErrorCode, OtherPromptError } from "../../engine.js";
import { jsonObject, positiveInteger } from "./json.js";

const LONGEST_MESSAGE = 300;

/** Error codes of Node and undici for an unreachable server or a lost connection. */
const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CLOSED",
  "UND_ERR_DESTROYED",
]);

/** Those of a connection that broke after it was opened. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** A server did not begin with a request, so another server may get it. */
export class NotStartedError extends EngineError {
  /** Time to wait before a retry; undefined if the server names none. */
  readonly retryAfterMilliseconds: number | undefined;

  constructor(
    code: EngineErrorCode,
    message: string,
    options: ErrorOptions & { retryAfterMilliseconds?: number } = {},
  ) {
    super(code, message, options);
    this.retryAfterMilliseconds = options.retryAfterMilliseconds;
  }
}

/**
 * A server's engine died, and with it every request that the server had. Another server may get them, although this one had
 * begun with them.
 */
export class ServerDiedError extends NotStartedError {}

/** A server does not have the requested endpoint: HTTP 404 or 405, or vLLM's 403 for an endpoint that a flag opens. */
export class NotServedError extends EngineError {}

/** HTTP 500, or the same in a stream, without a message. */
export class UnexplainedError extends EngineError {}

/** A server does not report log probabilities, so none of its replies can be recorded. */
export class UnrecordableError extends EngineError {}

/** A server refused the API key, or requires one although none is configured: HTTP 401. */
export class KeyRefusedError extends EngineError {
  static readonly STATUS = 401;

  constructor(code: EngineErrorCode) {
    super(code, `The engine refused the API key (HTTP ${KeyRefusedError.STATUS}).`);
  }
}

/** Returns true if a server is unreachable or takes no requests now. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof EngineError && error.code === "engine_unavailable";
}

/**
 * Returns the error for a request without a complete reply.
 *
 * @param origin scheme, host and port of the server; without the user name and password that a URL may contain
 */
export function transportError(error: unknown, origin: string): EngineError {
  if (error instanceof EngineError) return error;
  const code = errorCode(error);
  if (UNREACHABLE.has(code)) {
    const what = BROKEN.has(code) ? "closed the connection" : "cannot be reached";
    const message = `The engine at ${origin} ${what} (${code}).`;
    return new EngineError("engine_unavailable", message, { cause: error });
  }
  const message = `The request to the engine at ${origin} failed (${code || "unknown"}).`;
  return new EngineError("engine_error", message, { cause: error });
}

/** Returns true if a request failed because its connection broke. */
export function isBroken(error: unknown): boolean {
  return error instanceof EngineError && BROKEN.has(errorCode(error.cause));
}

/** Status of a server that is starting, stopping or full, and of a router without workers. Nothing was generated. */
const UNAVAILABLE = 503;
const UNEXPLAINED = 500;
const REFUSED: ReadonlySet<number> = new Set([429, UNAVAILABLE]);
const NOT_SERVED: ReadonlySet<number> = new Set([404, 405]);

/** vLLM's 403 for endpoints that `--enable-scale-out` opens. Other 403s are those of proxies in front of it. */
const DISABLED = { status: 403, message: /scale-out endpoints are disabled/i };

/** vLLM's message for every request after its engine process has died. */
const DIED = /EngineCore encountered an issue|EngineDeadError/;

/**
 * Returns the error for a reply with an HTTP status other than 200.
 *
 * @param retryAfter value of the header Retry-After
 */
export function statusError(status: number, body: string, retryAfter = ""): EngineError {
  if (status === KeyRefusedError.STATUS) return new KeyRefusedError("engine_error");
  const reason = readMessage(body);
  const detail = publicText(reason);
  const message = `The engine answered HTTP ${status}${detail && `: ${detail}`}`;
  if (REFUSED.has(status)) {
    const milliseconds = retryAfterMilliseconds(retryAfter);
    return new NotStartedError(
      "engine_error",
      message,
      milliseconds === undefined ? {} : { retryAfterMilliseconds: milliseconds },
    );
  }
  const isDisabled = status === DISABLED.status && DISABLED.message.test(reason);
  if (NOT_SERVED.has(status) || isDisabled) return new NotServedError("engine_error", message);
  return status === UNEXPLAINED && reason === ""
    ? new UnexplainedError("engine_error", message)
    : new EngineError("engine_error", message);
}

/** SGLang's message for requests that exceed SGLANG_REQ_RUNNING_TIMEOUT: a 503 after some tokens were generated. */
const RAN_OUT_OF_TIME = /running timeout/i;

/** SGLang removed the request from a queue, for a pause. It never ran, so nothing in it can have failed. */
const REMOVED = /^(?:Abort in waiting queue|Abort before prefill|Aborted by AbortReq\.)/;

/** Returns true if a message says that a request was removed before it ran. It can be sent again. */
export function saysRemoved(message: string | undefined): boolean {
  return message !== undefined && REMOVED.test(message);
}

/** Returns the message of an error reply to a request that was removed before it ran; undefined for any other error. */
export function removalInBody(body: string): string | undefined {
  const message = readMessage(body);
  return saysRemoved(message) ? message : undefined;
}

/** Statuses of a request that the engine rejects, for example for a grammar that it cannot compile, or a proxy for its size. */
const REJECTED: ReadonlySet<number> = new Set([400, 413, 422]);

/** Returns the error for a generation whose HTTP status is not 200. */
export function generationError(status: number, body: string, retryAfter: string): EngineError {
  const error = statusError(status, body, retryAfter);
  if (REJECTED.has(status)) return new EngineError("engine_rejected_request", error.message);
  if (DIED.test(error.message)) return new ServerDiedError("engine_unavailable", error.message);
  return RAN_OUT_OF_TIME.test(readMessage(body)) ? new EngineError("engine_error", error.message) : error;
}

const LONGEST_RETRY_MS = 60_000;

/** Reads a Retry-After header (RFC 9110, 10.2.3): seconds or a date. Limited to a minute, because a retry is cheap. */
export function retryAfterMilliseconds(header: string): number | undefined {
  const text = header.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(0, milliseconds), LONGEST_RETRY_MS);
}

/**
 * Returns the error for a generation that the engine aborted with a status code.
 *
 * @param tokens number of tokens that were generated before
 */
export function abortError(message: string | undefined, statusCode: number, tokens: number): EngineError {
  return failedGeneration("The engine aborted the generation", {
    message: message ?? "",
    status: statusCode,
    tokens,
  });
}

/**
 * Returns the error for a reply with status 200 that contains an error. An engine that has sent the status of a stream can
 * refuse the request only in this way.
 *
 * @param tokens number of tokens that the reply brought before
 */
export function failureError({ message, code }: EngineFailure, tokens: number): EngineError {
  return failedGeneration("The engine failed during the generation", { message, status: code, tokens });
}

/** @param status status that the engine gives the failure, if it does */
function failedGeneration(
  what: string,
  { message, status, tokens }: { message: string; status: number | undefined; tokens: number },
): EngineError {
  const detail = publicText(message);
  const text = `${what}${status === undefined ? "" : ` (${status})`}${detail && `: ${detail}`}`;
  if (DIED.test(message)) return new ServerDiedError("engine_unavailable", text);
  if (status !== undefined && REJECTED.has(status)) return new EngineError("engine_rejected_request", text);
  if (status === UNEXPLAINED && message === "") return new UnexplainedError("engine_error", text);
  const neverRan = status === UNAVAILABLE && tokens === 0 && !RAN_OUT_OF_TIME.test(message);
  return neverRan ? new NotStartedError("engine_error", text) : new EngineError("engine_error", text);
}

/** Returns the same error as a {@link NotStartedError}, for a request that cannot have begun. */
export function notStarted(error: unknown): unknown {
  if (!(error instanceof EngineError) || error instanceof NotStartedError) return error;
  return new NotStartedError(error.code, error.message, { cause: error });
}

const REPLY_MESSAGES: Readonly<Record<string, string>> = {
  ERR_REPLY_MALFORMED: "The engine's reply is malformed: it is not valid JSON, or fields are missing.",
  ERR_REPLY_MISMATCH: "The ids, log probabilities and counts of the engine's reply do not agree.",
  ERR_REPLY_NOT_FINITE: "The engine's reply contains a log probability that is not a finite number.",
};

/**
 * Returns the error for a reply to another prompt than the one that was sent.
 *
 * @param problem how the engine's prompt differs, such as `it has 12 tokens, not 10`
 */
export function otherPrompt(problem: string, options?: ErrorOptions): OtherPromptError {
  const message =
    `The engine used another prompt: ${problem}. If the prompt has images, the server's pixel limits must be those of ` +
    "preprocessor_config.json in the model folder.";
  return new OtherPromptError("engine_error", message, options);
}

/** Returns the error for a reply whose tokens could not be recorded; other errors are returned unchanged. */
export function replyError(error: unknown): unknown {
  const code = errorCode(error);
  const isImpossible = code === "ERR_REPLY_IMPOSSIBLE" && error instanceof Error;
  if (code === "ERR_REPLY_OTHER_PROMPT" && error instanceof Error) return otherPrompt(error.message, { cause: error });
  const message = isImpossible ? `The engine's reply is impossible: ${error.message}.` : REPLY_MESSAGES[code];
  return message === undefined ? error : new EngineError("engine_error", message, { cause: error });
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * Reads the message of an error body: `{object: "error", message}`, `{error: {message}}`, `{error}`, `{detail}`, or
 * `{error_message}` of SGLang's adapters.
 */
function readMessage(body: string): string {
  const value = jsonObject(body);
  const { message, error, detail, error_message: adapterMessage } = value;
  for (const candidate of [message, Object(error).message, error, detail, adapterMessage]) {
    if (typeof candidate === "string") return candidate;
  }
  return "";
}

/** Returns the error of a body that was sent instead of a reply; undefined if the body is not an error. */
export function failureInBody(body: string): EngineFailure | undefined {
  const value = jsonObject(body);
  const { error, object } = value;
  if ((error ?? null) === null && object !== "error") return undefined;
  const code = positiveInteger(Object(error).code ?? value["code"]);
  return { message: readMessage(body), ...(code !== undefined && { code }) };
}

/** Returns the first line of a server's message, shortened, without lists of numbers (prompts) and file paths. */
export function publicText(message: string): string {
  const [line = ""] = message.split("\n", 1);
  const plain = line.replace(/-?\d+(?:\s*,\s*-?\d+){3,}/g, "…").replace(/(?:\/[\w.@-]+){2,}/g, "…");
  return plain.length > LONGEST_MESSAGE - 40 ? `${plain.slice(0, LONGEST_MESSAGE - 41)}…` : plain;
}
