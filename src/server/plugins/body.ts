import fp from "fastify-plugin";
import { ApiError } from "../errors.js";

/**
 * Bodies are JSON. An empty one counts as `{}` whatever its content type (some clients send none on control calls);
 * `null` fields count as absent.
 */
export const body = fp((app, _options, done) => {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();

  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text: string, parsed) => {
    if (text.trim() === "") return parsed(null, {});
    void parseJson(request, text, (error, value) => {
      if (error) parsed(new ApiError("invalid_json", error.message));
      else parsed(null, value);
    });
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

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}
