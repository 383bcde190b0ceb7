import { isUtf8 } from "node:buffer";
import { StringDecoder } from "node:string_decoder";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { JsonLimits } from "../native/contract.js";
import { eventLoop, LONG_TEXT } from "../support/async/event-loop.js";
import { HUGE_TEXT, runBySize } from "../support/async/run-steps.js";
import { runAtOnce, type Steps } from "../support/async/steps.js";
import { withoutNulls } from "../support/json/without-nulls.js";
import { ApiError } from "./errors.js";
import { CONTROL_LIMITS, checkJsonLimits } from "./json-limits.js";
import { readBody } from "./read-body.js";
import { checkBodyInIterations } from "./validation.js";

/** Resolves to the value of a JSON body. */
export type ParseBody = (json: Buffer) => Promise<unknown>;

/**
 * Checks a body against the limits of its request. Resolves to the parser of it and its parts.
 *
 * @throws ApiError `body_too_complex` or `invalid_json`
 */
export type CheckBody = (json: Buffer) => Promise<ParseBody>;

/** Bodies of at least this many bytes are passed to `readLarge`. */
const LARGE_BODY = 16 * 1024;

/** Longer bodies are not checked for being blank. */
const MAX_BLANK_LENGTH = 1024;

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

declare module "fastify" {
  interface FastifyRequest {
    /** Size of the JSON body in bytes; 0 until it is received. */
    bodyBytes: number;
    /** Size in bytes of the JSON that was parsed. It is less than `bodyBytes` if `readLarge` took images out. */
    parsedBytes: number;
    /** The JSON body as it was received, if `keepsBytes` returned true; null after {@link takeBodyJson}. */
    bodyJson: Buffer | null;
  }
}

export interface JsonBodyOptions {
  /** Returns the limits of a request's body, which are checked before it is parsed. Default: {@link CONTROL_LIMITS}. */
  readonly limits?: (request: FastifyRequest) => JsonLimits;
  /**
   * Reads a large body. Default: checks and parses it. The event loop runs between two long bodies, and between parsing and the next step.
   */
  readonly readLarge?: (request: FastifyRequest, json: Buffer, check: CheckBody) => Promise<unknown>;
  /** Returns true if the request keeps the bytes of the body in addition to the parsed value. Default: false. */
  readonly keepsBytes?: (request: FastifyRequest) => boolean;
  /** Returns the value that routes receive; `value` is the parsed `text`. */
  readonly revive?: (text: string, value: unknown) => Steps<unknown>;
}

/**
 * Reads request bodies as JSON. An empty body counts as `{}` whatever its content type, because some clients send none on
 * control calls. Top-level fields that are `null` count as absent.
 */
export const jsonBody = fp<JsonBodyOptions>(
  (app, { limits = () => CONTROL_LIMITS, readLarge = parseAlone, keepsBytes = () => false, revive }, done) => {
    app.removeAllContentTypeParsers();
    app.decorateRequest("bodyBytes", 0);
    app.decorateRequest("parsedBytes", 0);
    app.decorateRequest("bodyJson", null);

    function* parse(json: Buffer): Steps<unknown> {
      const text = yield* decodeUtf8(json);
      yield;
      if (text.length < MAX_BLANK_LENGTH && text.trim() === "") return {};
      const value = parseJson(text);
      if (!revive) return value;
      yield;
      return yield* revive(text, value);
    }

    const read = (request: FastifyRequest, json: Buffer): Promise<unknown> =>
      readLarge(request, json, async (checked) => {
        await checkJsonLimits(checked, limits(request));
        return (part) => runBySize(parse(part), part.length);
      });

    const parseBody = (
      request: FastifyRequest,
      bytes: Buffer,
      parsed: (error: Error | null, value?: unknown) => void,
    ) => {
      request.bodyBytes = request.parsedBytes = bytes.length;
      const json = stripByteOrderMark(bytes);
      if (json.length > 0 && isCompressed(request)) return parsed(compressedBodyError(request));
      if (keepsBytes(request)) request.bodyJson = json;
      if (json.length >= LARGE_BODY) {
        read(request, json).then((value) => parsed(null, value), parsed);
        return;
      }
      let value: unknown;
      try {
        void checkJsonLimits(json, limits(request));
        value = runAtOnce(parse(json));
      } catch (error) {
        return parsed(error as ApiError);
      }
      // Outside the try block: an error that Fastify throws from the callback must not call it a second time.
      parsed(null, value);
    };

    app.addContentTypeParser("application/json", (request, payload, parsed) => {
      readBody(request, payload, (error, bytes) => (error ? parsed(error) : parseBody(request, bytes, parsed)));
    });

    app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, parsed) => {
      if (bytes.length === 0) return parsed(null, {});
      const type = request.headers["content-type"]?.slice(0, 100) ?? "none";
      const message = `The content-type of the request body must be application/json; received ${type}.`;
      parsed(new ApiError("unsupported_media_type", message));
    });

    app.addHook("preValidation", (request, _reply, next) => {
      if (request.method === "POST") request.body = withoutTopNulls(request.body ?? {});
      next();
    });

    // Fastify waits for `next`, or for the promise that a hook returns. A request with a small body waits for no promise.
    app.addHook("preValidation", (request, _reply, next) =>
      request.parsedBytes < LARGE_BODY ? next() : checkBodyInIterations(request),
    );

    // Validation ran in the current iteration, and the route also begins with work on the whole body.
    app.addHook("preHandler", (request, _reply, next) =>
      request.parsedBytes < HUGE_TEXT ? next() : eventLoop.yield(),
    );
    done();
  },
);

/** Returns the bytes of the body and removes them from the request, which may stay in memory much longer. */
export function takeBodyJson(request: FastifyRequest): Buffer | null {
  const { bodyJson } = request;
  request.bodyJson = null;
  return bodyJson;
}

/** @throws ApiError `invalid_json` */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError("invalid_json", "The body is not valid JSON.", { cause });
  }
}

function isCompressed({ headers }: FastifyRequest): boolean {
  return (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity";
}

function compressedBodyError({ headers }: FastifyRequest): ApiError {
  const encoding = headers["content-encoding"]?.slice(0, 100);
  const message = `The request body must not be compressed; received content-encoding ${encoding}.`;
  return new ApiError("unsupported_media_type", message);
}

/** Returns the bytes without a byte order mark. Some clients send one; `JSON.parse` refuses it. */
function stripByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;
}

async function parseAlone(_request: FastifyRequest, json: Buffer, check: CheckBody): Promise<unknown> {
  const parse = await check(json);
  return json.length < LONG_TEXT ? parse(json) : eventLoop.alone(() => parse(json));
}

function withoutTopNulls(value: unknown): unknown {
  return typeof value !== "object" || value === null || Array.isArray(value) ? value : withoutNulls(value);
}

/** Number of bytes that are decoded in one step. This takes up to about 15 ms on a slow core. */
const SLICE_BYTES = 2 << 20;

/**
 * Decodes a complete body.
 *
 * @throws ApiError `invalid_json` if the bytes are not UTF-8. Without this check, decoding would replace them silently.
 */
export function* decodeUtf8(bytes: Buffer): Steps<string> {
  if (bytes.length <= SLICE_BYTES) return requireUtf8(bytes.toString(), bytes);
  const decoder = new StringDecoder("utf8");
  let text = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += decoder.write(bytes.subarray(at, at + SLICE_BYTES));
    yield;
  }
  return requireUtf8(text + decoder.end(), bytes);
}

function requireUtf8(text: string, bytes: Buffer): string {
  // Invalid bytes are decoded as U+FFFD. Only a text that contains it needs the second check.
  if (text.includes("\uFFFD") && !isUtf8(bytes)) throw new ApiError("invalid_json", "The body is not valid UTF-8.");
  return text;
}
