import type { InjectOptions } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { controlBody } from "../../src/http/control-body.js";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { type JsonBodyOptions, jsonBody, takeBodyJson } from "../../src/http/json-body.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

const LIMITS = { depth: 3, values: 8, keys: 4, lists: { items: 2 } };
const NO_LIMITS = { depth: 64, values: 2 ** 31 - 1, keys: 4096, lists: {} };

/** `POST /` answers with the body as its route receives it, and `POST /checked` with a body that a schema has checked. */
async function start(options: JsonBodyOptions = {}, strictControlFields = true) {
  const app = createApp({ maxBodyBytes: 1 << 24, connections: LENIENT_CONNECTIONS, strictControlFields });
  onTestFinished(() => app.close());
  await app.register(errorHandler);
  await app.register(jsonBody, { limits: () => NO_LIMITS, ...options });
  app.post("/", async (request) => {
    const json = takeBodyJson(request);
    return {
      body: request.body,
      bytes: request.bodyBytes,
      kept: json && json.toString(),
      again: takeBodyJson(request),
    };
  });
  const body = controlBody({ count: z.int(), inner: z.strictObject({ list: z.array(z.string()) }).optional() });
  app.post("/checked", { schema: { body } }, async (request) => ({ body: request.body }));
  app.get("/checked", { schema: { querystring: z.object({ limit: z.coerce.number().int() }) } }, async ({ query }) => ({
    query,
  }));
  return async (payload: string | Buffer, more: InjectOptions = {}) => {
    const { statusCode, body } = await app.inject({
      method: "POST",
      url: "/",
      headers: { "content-type": "application/json" },
      payload,
      ...more,
    });
    const { error, ...rest } = JSON.parse(body) as { error?: { code: string; message: string; param: string | null } };
    return { statusCode, error, ...rest };
  };
}

describe("a JSON body", () => {
  it("is parsed, without its byte order mark and the top-level fields that are null", async () => {
    const send = await start();
    const text = '\uFEFF{"a":null,"b":[null],"c":"é"}';
    expect(await send(text)).toMatchObject({ body: { b: [null], c: "é" }, bytes: Buffer.byteLength(text) });
    expect(await send("[null,1]")).toMatchObject({ body: [null, 1] });
    expect(await send("null")).toMatchObject({ body: {} });
  });

  it("counts as an object without fields if it is blank or missing, whatever its type", async () => {
    const send = await start();
    for (const payload of ["", " \n "]) expect(await send(payload)).toMatchObject({ statusCode: 200, body: {} });
    expect(await send("", { headers: { "content-type": "text/plain" } })).toMatchObject({ body: {} });
    expect(await send("", { headers: {} })).toMatchObject({ body: {} });
  });

  it("is not kept as bytes unless the route wants them, and then until they are taken", async () => {
    expect(await (await start())('{"a":1}')).toMatchObject({ kept: null });
    const send = await start({ keepsBytes: () => true });
    expect(await send('{"a":1}')).toMatchObject({ body: { a: 1 }, kept: '{"a":1}', again: null });
  });

  it.each([100, 20_000, 400_000])("of %i characters is read and checked, and its text revived", async (length) => {
    const texts: number[] = [];
    const send = await start({
      *revive(text, value) {
        texts.push(text.length);
        yield;
        return { ...(value as object), revived: true };
      },
    });
    const a = "x".repeat(length);
    expect(await send(JSON.stringify({ a }))).toMatchObject({ body: { a, revived: true } });
    expect(texts).toEqual([length + 8]);
  });

  it("is passed to `readLarge` if it has at least 16 KiB", async () => {
    const sizes: number[] = [];
    const send = await start({
      readLarge: async (_, json, check) => {
        sizes.push(json.length);
        const parse = await check(json);
        return { read: await parse(json.subarray(0, 1)) };
      },
    });
    await send(`1${" ".repeat(16 * 1024 - 2)}`);
    expect(sizes).toEqual([]);
    expect(await send(`1${" ".repeat(16 * 1024 - 1)}`)).toMatchObject({ body: { read: 1 } });
    expect(sizes).toEqual([16 * 1024]);
  });

  it.each<[string, string, NonNullable<InjectOptions["headers"]>, string, string]>([
    ["is no JSON", "{", {}, "invalid_json", "The body is not valid JSON."],
    [
      "has another type",
      "a=1",
      { "content-type": "application/x-www-form-urlencoded" },
      "unsupported_media_type",
      "The content-type of the request body must be application/json; received application/x-www-form-urlencoded.",
    ],
    [
      "is compressed",
      "{}",
      { "content-type": "application/json", "content-encoding": "GZip" },
      "unsupported_media_type",
      "The request body must not be compressed; received content-encoding GZip.",
    ],
  ])("is refused if it %s", async (_, payload, headers, code, message) => {
    const send = await start();
    const sent = Object.keys(headers).length > 0 ? { headers } : {};
    expect((await send(payload, sent)).error).toMatchObject({ code, message });
  });

  it("that says that it is not compressed is read", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "Identity" };
    expect(await (await start())('{"a":1}', { headers })).toMatchObject({ body: { a: 1 } });
  });
});

describe("a JSON body beyond the limits of its route", () => {
  it.each([
    ["levels", "[[[[]]]]", null, "The body has arrays and objects in more than 3 levels."],
    ["values", `[${"true,".repeat(8)}true]`, null, "The body has more than 8 JSON values."],
    ["keys", '{"a":1,"b":1,"c":1,"d":1,"e":1}', null, "An object of the body has more than 4 keys."],
    ["items of a list", '{"items":[1,2,3]}', "items", "`items` must have at most 2 items."],
  ])("is refused for its %s", async (_, payload, param, message) => {
    const send = await start({ limits: () => LIMITS });
    for (const text of [payload, payload + " ".repeat(300_000)])
      expect(await send(text)).toMatchObject({ statusCode: 400, error: { code: "body_too_complex", message, param } });
  });

  it("is read at its limits", async () => {
    const send = await start({ limits: () => LIMITS });
    for (const text of ["[[[]]]", `[${"1,".repeat(6)}1]`, '{"a":1,"b":1,"c":1,"d":1}', '{"items":[1,2]}'])
      expect(await send(text)).toMatchObject({ statusCode: 200, body: JSON.parse(text) as unknown });
  });

  it("is refused if a key could change the prototype of an object", async () => {
    const send = await start();
    for (const text of ['{"__proto__":{}}', '{"constructor":{"prototype":{}}}'])
      expect((await send(text)).error).toMatchObject({ code: "invalid_json" });
  });
});

describe("a body that is checked by a schema", () => {
  const large = "x".repeat(100_000);

  it.each([
    ["a missing field", {}, "count", "count: is required"],
    ["a wrong value", { count: "no" }, "count", 'count: must be an integer; received "no"'],
    ["a wrong value inside of a list", { count: 1, inner: { list: ["a", 2] } }, "inner.list[1]", /^inner\.list\[1\]: /],
    ["a wrong value after a long one", { inner: { list: [large] } }, "count", "count: is required"],
  ])("is refused with the place of %s", async (_, payload, param, message) => {
    const { error } = await (await start())(JSON.stringify(payload), { url: "/checked" });
    expect(error).toMatchObject({ code: "invalid_value", param });
    expect(error?.message).toMatch(message);
  });

  it("is refused as a whole if it is no object", async () => {
    const { error } = await (await start())("[]", { url: "/checked" });
    expect(error).toMatchObject({ code: "invalid_value", param: null, message: expect.stringMatching(/^request: /) });
  });

  it("is refused for an unknown field before everything else, unless such fields are allowed", async () => {
    const payload = JSON.stringify({ cuont: 1, inner: 2 });
    const { error } = await (await start())(payload, { url: "/checked" });
    expect(error).toMatchObject({ code: "unknown_parameter", param: "cuont" });
    const lenient = await start({}, false);
    expect(await lenient('{"count":1,"more":2}', { url: "/checked" })).toMatchObject({ body: { count: 1 } });
    expect((await lenient(payload, { url: "/checked" })).error).toMatchObject({ param: "count" });
  });

  it.each([10, 100_000])("of %i characters is checked once", async (length) => {
    const app = createApp({ maxBodyBytes: 1 << 24, connections: LENIENT_CONNECTIONS });
    onTestFinished(() => app.close());
    await app.register(jsonBody);
    const checked: unknown[] = [];
    const body = z.object({ text: z.string() }).refine((value) => checked.push(value));
    app.post("/", { schema: { body } }, async () => "done");
    const payload = { text: "x".repeat(length) };
    for (let call = 0; call < 2; call++) await app.inject({ method: "POST", url: "/", payload });
    expect(checked).toEqual([payload, payload]);
  });

  it("is refused as unsupported, in the words of the schema, if the schema says so", async () => {
    const app = createApp({ maxBodyBytes: 1000, connections: LENIENT_CONNECTIONS });
    onTestFinished(() => app.close());
    await app.register(errorHandler);
    await app.register(jsonBody);
    const body = z.looseObject({}).superRefine(({ unsupported }, context) => {
      context.addIssue({ code: "custom", path: ["a"], message: "No thread is kept.", params: { unsupported } });
    });
    app.post("/", { schema: { body } }, async () => "done");
    const refusal = async (payload: object) =>
      JSON.parse((await app.inject({ method: "POST", url: "/", payload })).body) as unknown;
    expect(await refusal({ unsupported: true })).toMatchObject({
      error: { code: "unsupported_parameter", param: "a", message: "No thread is kept." },
    });
    expect(await refusal({ unsupported: false, a: 1 })).toMatchObject({
      error: { code: "invalid_value", param: "a", message: "a: No thread is kept." },
    });
  });

  it("is passed on as the schema has read it", async () => {
    const send = await start();
    const inner = { list: ["a", large] };
    expect(await send(JSON.stringify({ count: 1, inner }), { url: "/checked" })).toMatchObject({
      body: { count: 1, inner },
    });
    const query = await send("", { method: "GET", url: "/checked?limit=5" });
    expect(query).toMatchObject({ query: { limit: 5 } });
    expect((await send("", { method: "GET", url: "/checked?limit=x" })).error).toMatchObject({ param: "limit" });
  });
});
