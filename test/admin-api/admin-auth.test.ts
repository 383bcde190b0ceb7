import { describe, expect, it, onTestFinished } from "vitest";
import { adminAuth } from "../../src/admin-api/admin-auth.js";
import { toErrorBody } from "../../src/admin-api/error-body.js";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { ApiError } from "../../src/http/errors.js";
import { newSessionKey } from "../../src/session/session-keys.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

const ADMIN_KEY = "sk-admin-0123456789abcdef";

async function start(adminKey?: string) {
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  await app.register(errorHandler, { toBody: toErrorBody });
  await app.register(adminAuth, { adminKey });
  app.get("/control", async () => "done");
  app.get("/livez", { config: { public: true } }, async () => "done");
  return async (url: string, key?: string) => {
    const headers = key === undefined ? {} : { "x-api-key": key };
    const { statusCode, body } = await app.inject({ url, headers });
    return statusCode === 200 ? body : `${statusCode} ${(JSON.parse(body) as { error: { code: string } }).error.code}`;
  };
}

describe("a control call", () => {
  it.each([
    ["done", "the admin key", ADMIN_KEY],
    ["401 missing_api_key", "no key", undefined],
    ["403 wrong_key_kind", "the key of a session on a worker", newSessionKey("worker1")],
    ["401 invalid_api_key", "another key", "sk-other"],
  ])("is answered with %s for %s", async (answer, _, key) => {
    expect(await (await start(ADMIN_KEY))("/control", key)).toBe(answer);
  });

  it("is refused as one with a session key if another key is unknown", async () => {
    const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS });
    onTestFinished(() => app.close());
    await app.register(errorHandler);
    await app.register(adminAuth, { adminKey: ADMIN_KEY });
    app.get("/control", async () => "done");
    const headers = { authorization: "Bearer sk-other", "x-api-key": newSessionKey("worker1") };
    expect((await app.inject({ url: "/control", headers })).statusCode).toBe(403);
    const both = { authorization: "Bearer sk-other", "x-api-key": ADMIN_KEY };
    expect((await app.inject({ url: "/control", headers: both })).statusCode).toBe(200);
  });

  it("needs no key if its route is public, or if the workers check the key", async () => {
    expect(await (await start(ADMIN_KEY))("/livez")).toBe("done");
    expect(await (await start())("/control")).toBe("done");
  });
});

describe("the body of an error", () => {
  const error = new ApiError("session_limit", "Too many.", { param: "n", details: { limit: 3 } });

  function bodyOf(
    from: ApiError,
    { url = "/x", headers = {}, errors }: { url?: string; headers?: object; errors?: string },
  ) {
    const replied: string[] = [];
    const request = { originalUrl: url, headers, id: "req-1", routeOptions: { config: { errors } } };
    const body = toErrorBody(from, request as never, { header: (...pair: string[]) => replied.push(...pair) } as never);
    return { body, replied };
  }

  const openai = {
    error: { message: "Too many.", type: "permission_error", param: "n", code: "session_limit", limit: 3 },
  };
  const anthropic = {
    type: "error",
    error: { type: "permission_error", message: "Too many.", code: "session_limit", param: "n", limit: 3 },
  };

  it("is OpenAI's, unless the route or the client speaks Anthropic's API", () => {
    expect(bodyOf(error, {})).toEqual({ body: openai, replied: [] });
    expect(bodyOf(error, { errors: "anthropic" })).toEqual({ body: anthropic, replied: ["request-id", "req-1"] });
    expect(bodyOf(error, { errors: "client" }).body).toEqual(openai);
    expect(bodyOf(error, { headers: { "anthropic-version": "2023-06-01" } }).body).toEqual(openai);
  });

  it.each([
    [{ "anthropic-version": "2023-06-01", authorization: "Bearer a" }, anthropic],
    [{ "x-api-key": "a" }, anthropic],
    [{ "x-api-key": "a", authorization: "Bearer a" }, openai],
  ])("of a path that both APIs have is that of the client with %j", (headers, body) => {
    expect(bodyOf(error, { headers, errors: "client" }).body).toEqual(body);
  });

  it("of Anthropic's API has a field that is null if none is wrong, and says that there are no threads", () => {
    expect(bodyOf(new ApiError("store_full", "Full."), { errors: "anthropic" }).body).toEqual({
      type: "error",
      error: { type: "overloaded_error", message: "Full.", code: "store_full", param: null },
    });
    const threads = new ApiError("unsupported_parameter", "No.", { param: "thread" });
    expect(bodyOf(threads, { errors: "anthropic" }).body).toMatchObject({
      error: { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } },
    });
  });

  it("is Google's on its paths, with the code, the field and the time to wait", () => {
    expect(bodyOf(new ApiError("store_full", "Full.", { param: "a" }), { url: "/v1beta/models/m" }).body).toEqual({
      error: {
        code: 503,
        message: "Full.",
        status: "UNAVAILABLE",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "STORE_FULL",
            domain: "rolltape",
            metadata: { code: "store_full", param: "a" },
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "5s" },
        ],
      },
    });
  });
});
