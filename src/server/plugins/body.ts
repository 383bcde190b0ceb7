import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { fieldTexts } from "../../conversation/json/field-texts.js";
import { mayLoseSpelling, parseSpelled } from "../../conversation/json/spelled.js";
import { ApiError } from "../errors.js";
import { LONG_TEXT, turns } from "../turns.js";

type Parsed = (error: Error | null, value?: unknown) => void;

/**
 * Bodies are JSON. An empty one counts as `{}` whatever its content type (some clients send none on control calls);
 * `null` fields count as absent.
 */
export const body = fp((app, _options, done) => {
  const parseGuarded = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();

  const parseBody = (request: FastifyRequest, text: string, parsed: Parsed): void => {
    const plain = parsePlain(text);
    if (plain !== undefined) return parsed(null, asSpelled(text, plain));
    void parseGuarded(request, text, (error, value) => {
      if (error)
        parsed(new ApiError("invalid_json", "The body is not valid JSON, or has a `__proto__` key.", { cause: error }));
      else parsed(null, asSpelled(text, value));
    });
  };

  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text: string, parsed) => {
    if (text.trim() === "") return parsed(null, {});
    if (text.length < LONG_TEXT) return parseBody(request, text, parsed);
    turns.next().then(() => parseBody(request, text, parsed), parsed);
  });

  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, parsed) => {
    if (bytes.length === 0) return parsed(null, {});
    const type = request.headers["content-type"] ?? "none";
    parsed(
      new ApiError("unsupported_media_type", `The body must be application/json, its type is ${type.slice(0, 100)}.`),
    );
  });

  app.addHook("preValidation", (request, _reply, next) => {
    if (request.method === "POST") request.body = withoutNulls(request.body ?? {});
    next();
  });
  done();
});

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
  if (names.length === 0) return value;
  const spelled = [...fieldTexts(text, new Set(names))].map(([name, field]) => [name, parseSpelled(field)] as const);
  return { ...value, ...Object.fromEntries(spelled) };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
