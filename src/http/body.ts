import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { LONG_TEXT, turns } from "../support/async/turns.js";
import { withoutNulls } from "../support/json/without-nulls.js";
import { ApiError } from "./errors.js";

/** Returns the value of a JSON body. */
export type ParseBody = (json: Buffer) => unknown;

/** Bodies of at least this many bytes are given to `readLarge`. */
const LARGE_BODY = 16 * 1024;

export interface BodyOptions {
  /** Reads a large body. Default: parses it, one long body per round of the event loop. */
  readonly readLarge?: (request: FastifyRequest, json: Buffer, parse: ParseBody) => Promise<unknown>;
  /** Returns the value of a body; `value` is what `JSON.parse` made of `text`. */
  readonly revive?: (text: string, value: unknown) => unknown;
}

/**
 * Bodies are JSON. An empty one counts as `{}` whatever its content type (some clients send none on control calls);
 * `null` fields count as absent.
 */
export const body = fp<BodyOptions>((app, { readLarge = parseInTurn, revive }, done) => {
  const parseGuarded = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();

  const parse = (request: FastifyRequest, json: Buffer): unknown => {
    const text = decoded(json);
    if (json.length < BLANK_LENGTH && text.trim() === "") return {};
    let value = parsePlain(text);
    if (value === undefined) {
      // It calls back before it returns.
      void parseGuarded(request, text, (error, parsed) => {
        if (error) throw new ApiError("invalid_json", INVALID_JSON, { cause: error });
        value = parsed;
      });
    }
    return revive ? revive(text, value) : value;
  };

  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes: Buffer, parsed) => {
    const json = withoutMark(bytes);
    if (json.length > 0 && isCoded(request)) return parsed(codingRefused(request));
    if (json.length >= LARGE_BODY) {
      readLarge(request, json, (part) => parse(request, part)).then((value) => parsed(null, value), parsed);
      return;
    }
    let value: unknown;
    try {
      value = parse(request, json);
    } catch (error) {
      return parsed(error as ApiError);
    }
    parsed(null, value);
  });

  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, parsed) => {
    if (bytes.length === 0) return parsed(null, {});
    const type = request.headers["content-type"] ?? "none";
    parsed(
      new ApiError("unsupported_media_type", `The body must be application/json, its type is ${type.slice(0, 100)}.`),
    );
  });

  app.addHook("preValidation", (request, _reply, next) => {
    if (request.method === "POST") request.body = withoutTopNulls(request.body ?? {});
    next();
  });
  done();
});

function isCoded({ headers }: FastifyRequest): boolean {
  return (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity";
}

function codingRefused({ headers }: FastifyRequest): ApiError {
  const coding = headers["content-encoding"]?.slice(0, 100);
  return new ApiError("unsupported_media_type", `The body must not be compressed, its content-encoding is ${coding}.`);
}

/** @throws ApiError where something would be read that was not sent */
function decoded(json: Buffer): string {
  const text = json.toString();
  // What was no UTF-8 has become this character.
  if (text.includes("\uFFFD") && !isUtf8(json)) throw new ApiError("invalid_json", "The body is not valid UTF-8.");
  return text;
}

const INVALID_JSON = "The body is not valid JSON, or has a `__proto__` key.";

const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** The bytes without the mark that some clients begin a text with, which is no JSON. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;
}

/** Blank bodies that are longer are not taken for empty ones. */
const BLANK_LENGTH = 1024;

async function parseInTurn(_request: FastifyRequest, json: Buffer, parse: ParseBody): Promise<unknown> {
  if (json.length >= LONG_TEXT) await turns.next();
  return parse(json);
}

/**
 * The value of a JSON text in which no key can reach an object's prototype. Undefined where one might, and where the text
 * is not JSON: then Fastify's own parser says what is wrong. It searches every text, which takes longer than to parse it.
 */
function parsePlain(text: string): unknown {
  if (text.includes("__proto__") || text.includes('"constructor"') || text.includes("\\u")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withoutTopNulls(value: unknown): unknown {
  return typeof value !== "object" || value === null || Array.isArray(value) ? value : withoutNulls(value);
}
