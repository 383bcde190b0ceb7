import { isUtf8 } from "node:buffer";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { withoutNulls } from "../protocols/nulls.js";
import { goesOn, type KnownBody, sharedWith, toKnown, withoutShared, withShared } from "../server/known/known-body.js";
import type { Recent } from "../server/known/recent.js";
import { withSpelledCalls } from "../server/known/spelled-calls.js";
import { LONG_TEXT, turns } from "../support/async/turns.js";
import { fieldTexts } from "../support/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../support/json/spelled.js";
import { ApiError } from "./errors.js";

type ParseJson = (request: FastifyRequest, json: Buffer) => unknown;

/** Shorter bodies are parsed sooner than compared. */
const WORTH_KNOWING = 16 * 1024;

export interface BodyOptions {
  readonly known?: Recent<KnownBody>;
}

/**
 * Bodies are JSON. An empty one counts as `{}` whatever its content type (some clients send none on control calls);
 * `null` fields count as absent.
 */
export const body = fp<BodyOptions>((app, { known }, done) => {
  const parseGuarded = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();

  const parse: ParseJson = (request, json) => {
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
    return asSpelled(text, value);
  };

  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes: Buffer, parsed) => {
    const json = withoutMark(bytes);
    if (json.length > 0 && isCoded(request)) return parsed(codingRefused(request));
    if (json.length >= WORTH_KNOWING) {
      parseLarge(request, json, parse, known).then((value) => parsed(null, value), parsed);
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

/** Parses what the session's recent bodies do not have, a long text in a turn of its own. */
async function parseLarge(
  request: FastifyRequest,
  json: Buffer,
  parse: ParseJson,
  known: Recent<KnownBody> | undefined,
): Promise<unknown> {
  const { session } = request;
  const recent = session ? known?.of(session) : undefined;
  const shared = recent && sharedWith(json, recent.items);
  const short = shared ? withoutShared(json, shared) : json;
  if (short.length >= LONG_TEXT) await turns.next();
  const whole = shared && withShared(parse(request, short), shared);
  const value = whole ?? parse(request, json);
  const read = recent && toKnown(json, value, whole && shared);
  if (read) recent.add(read, shared && goesOn(shared) ? shared.body : undefined);
  return value;
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

// What templates write out of a request, number by number and key by key.
const SHOWN_FIELDS: ReadonlySet<string> = new Set(["tools", "chat_template_kwargs"]);

/** The body with those fields as they are spelled, where `JSON.parse` may have changed something in them. */
function asSpelled(text: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const isShown = ([name, field]: [string, unknown]): boolean => SHOWN_FIELDS.has(name) && mayLoseSpelling(field);
  const names = Object.entries(value)
    .filter(isShown)
    .map(([name]) => name);
  const messages: unknown = "messages" in value ? value.messages : undefined;
  const called = Array.isArray(messages) ? withSpelledCalls(text, messages) : messages;
  if (names.length === 0 && called === messages) return value;
  const fields = names.length === 0 ? new Map<string, string>() : fieldTexts(text, new Set(names));
  const spelled = [...fields].map(([name, field]) => [name, parseSpelled(field)] as const);
  return { ...value, ...(called === messages ? {} : { messages: called }), ...Object.fromEntries(spelled) };
}

function withoutTopNulls(value: unknown): unknown {
  return typeof value !== "object" || value === null || Array.isArray(value) ? value : withoutNulls(value);
}
