import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { formatUrl } from "../../src/http/format-url.js";
import { isGooglePath } from "../../src/http/google-path.js";
import { adminKeyInPath, hasPathKey, replaceTarget, takePathKey } from "../../src/http/path-key.js";

it("an address is a URL, also of IPv6", () => {
  expect(formatUrl({ address: "127.0.0.1", family: "IPv4", port: 80 })).toBe("http://127.0.0.1:80");
  expect(formatUrl({ address: "::1", family: "IPv6", port: 80 })).toBe("http://[::1]:80");
});

it.each([
  ["/v1beta/models", true],
  ["//v1beta?key=a", true],
  ["http://a/v1beta/models", true],
  ["/v1%62eta/models", true],
  ["/v1beta%zz/models", false],
  ["/v1/models/tiny:generateContent", true],
  ["/v1//models/tiny%3AcountTokens?x", true],
  ["/v1/models/tiny", false],
  ["/v1/models", false],
  ["/", false],
  ["", false],
])("the path %s belongs to Google's API: %s", (originalUrl, expected) => {
  expect(isGooglePath({ originalUrl } as FastifyRequest)).toBe(expected);
});

interface Routed {
  url?: string;
  originalUrl?: string;
  headers: Record<string, string>;
}

const take = (raw: Routed) => takePathKey(raw as unknown as IncomingMessage);
const isTaken = (raw: Routed) => hasPathKey({ raw } as unknown as FastifyRequest);

describe("a key in a path", () => {
  it.each([
    ["/s/sk-a/v1/models?x=1", "/v1/models?x=1", "sk-a"],
    ["//s//sk-a", "/", "sk-a"],
    ["/S/sk-a/?x", "/?x", "sk-a"],
    ["http://a:1/s/sk-a/v1#y", "http://a:1/v1#y", "sk-a"],
    ["/s/sk%2Da/v1", "/v1", "sk-a"],
    ["/s/sk%20a/v1", "/v1", "sk%20a"],
    ["/s/sk%zz/v1", "/v1", "sk%zz"],
  ])("of %s moves to the headers, and the rest is %s", (url, target, key) => {
    const headers = { "x-api-key": "b", "x-goog-api-key": "c", authorization: "Bearer d", host: "x" };
    const raw: Routed = { url, headers };
    expect(take(raw)).toBe(target);
    expect(raw).toEqual({ url, originalUrl: target, headers: { host: "x", authorization: `Bearer ${key}` } });
    expect(isTaken(raw)).toBe(true);
  });

  it.each(["/v1/models", "/s/", "/sk-a", "/v1/s/sk-a"])("is not in %s", (url) => {
    const raw: Routed = { url, headers: { authorization: "Bearer d" } };
    expect(take(raw)).toBe(url);
    expect(raw).toEqual({ url, headers: { authorization: "Bearer d" } });
    expect(isTaken(raw)).toBe(false);
  });

  it("must not be the admin key", () => {
    expect(adminKeyInPath()).toMatchObject({ code: "wrong_key_kind" });
  });

  it("leaves a request that is routed again in the API of its first target", () => {
    const raw: Routed = { url: "/v1beta/%zz", headers: {} };
    replaceTarget(raw as unknown as IncomingMessage, "/.unrouted");
    expect(take(raw)).toBe("/.unrouted");
    expect(raw.originalUrl).toBe("/v1beta/%zz");
    const without: Routed = { headers: {} };
    replaceTarget(without as unknown as IncomingMessage, "/.unrouted");
    take(without);
    expect(without.originalUrl).toBe("/");
    expect(take({ headers: {} })).toBe("/");
  });
});
