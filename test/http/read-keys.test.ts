import type { FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { readKeys } from "../../src/http/read-keys.js";

const read = (headers: Record<string, string>, originalUrl = "/v1/messages", query: object = {}) =>
  readKeys({ headers, originalUrl, query } as unknown as FastifyRequest);

it("reads the key of each API, the Bearer key first", () => {
  const headers = { "x-goog-api-key": "c", "x-api-key": "b", authorization: "Bearer a" };
  expect(read(headers)).toEqual(["a", "b", "c"]);
  expect(read({ authorization: "bearer  a " })).toEqual(["a"]);
});

it("reads a key in the query of Google's paths only", () => {
  expect(read({}, "/v1beta/models?key=a", { key: "a" })).toEqual(["a"]);
  expect(read({}, "//v1%62eta/models?key=a", { key: ["a", "b"] })).toEqual(["a", "b"]);
  expect(read({}, "/v1/models/tiny:generateContent?key=a", { key: "a" })).toEqual(["a"]);
  for (const path of ["/v1/models?key=a", "/v1/models/tiny?key=a", "/v1beta%zz/models?key=a"])
    expect(read({}, path, { key: "a" })).toEqual([]);
});

it.each([{}, { authorization: "Basic a" }, { authorization: "Bearer a b" }, { "x-api-key": "" }])(
  "finds no key in %j",
  (headers) => {
    expect(read(headers as Record<string, string>)).toEqual([]);
  },
);
