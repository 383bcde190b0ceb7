import { describe, expect, it } from "vitest";
import type { WireExport } from "../../helpers/export-json.js";
import { readSample } from "../../helpers/metrics-text.js";
import { startRaw } from "../../helpers/raw-server.js";
import { user } from "../../helpers/turn.js";
import {
  answerJson,
  JUDGE,
  listenProxy,
  series,
  startProxy,
  startUpstream,
  UPSTREAM_KEY,
  upstreamAt,
} from "./upstream.js";

/** Calls for models of `upstreams` are answered by another server, and not recorded. */

const CHAT = "/v1/chat/completions";
const messages = [user("Is it right?")];

const toBase64 = (text: string): string => Buffer.from(text).toString("base64");

/** Each path, with a body of its protocol, the path at the upstream and the header of the key. */
const CALLS: [path: string, body: object, sent: string, key: [string, string]][] = [
  [CHAT, { messages }, "/v1/chat/completions", ["authorization", `Bearer ${UPSTREAM_KEY}`]],
  ["/chat/completions", { messages, n: 2 }, "/v1/chat/completions", ["authorization", `Bearer ${UPSTREAM_KEY}`]],
  [
    "/v1/responses",
    { input: "x", previous_response_id: "resp_of_upstream" },
    "/v1/responses",
    ["authorization", `Bearer ${UPSTREAM_KEY}`],
  ],
  ["/v1/messages?beta=true", { messages, max_tokens: 5 }, "/v1/messages?beta=true", ["x-api-key", UPSTREAM_KEY]],
  ["/v1/v1/messages", { messages, max_tokens: 5 }, "/v1/messages", ["x-api-key", UPSTREAM_KEY]],
  ["/v1/messages/count_tokens", { messages }, "/v1/messages/count_tokens", ["x-api-key", UPSTREAM_KEY]],
];

describe("a call for a model of an upstream", () => {
  it.each(CALLS)("of %s is answered by the upstream, byte for byte", async (url, body, sent, [header, key]) => {
    const upstream = await startUpstream(answerJson({ id: "of-upstream" }, 200, { "x-request-id": "u1" }));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const text = `{ "model" : "${JUDGE}", "temperature":1.0, ${JSON.stringify(body).slice(1)}`;
    const reply = await proxy.request(
      { method: "POST", url, payload: text, headers: { "content-type": "application/json" } },
      session.key,
    );
    expect([reply.status, reply.json()]).toEqual([200, { id: "of-upstream" }]);
    expect(reply.headers["x-request-id"]).toBe("u1");
    const [request] = upstream.requests;
    expect(`${request?.url.pathname}${request?.url.search}`).toBe(sent);
    expect(request?.body.toString()).toBe(text);
    expect(request?.headers[header]).toBe(key);
  });

  it.each(CALLS)("of %s is streamed", async (url, body) => {
    const events = ['data: {"n":1}\n\n', 'data: {"n":2}\n\n', "data: [DONE]\n\n"];
    let proceed: () => void = () => undefined;
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of events) {
        response.write(event);
        await new Promise<void>((resolve) => (proceed = resolve));
      }
      response.end();
    });
    const { proxy, url: address } = await listenProxy([upstreamAt(upstream.url)]);
    const { key } = await proxy.session();
    const reply = await fetch(`${address}${url}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true, model: "gpt-4o-2024" }),
    });
    expect(reply.headers.get("content-type")).toBe("text/event-stream");
    const decoder = new TextDecoder();
    let received = "";
    // Each event arrives before the upstream sends the next one.
    const reader = reply.body?.getReader();
    for (const event of events) {
      while (!received.endsWith(event)) received += decoder.decode((await reader?.read())?.value);
      proceed();
    }
    expect((await reader?.read())?.done).toBe(true);
    expect(received).toBe(events.join(""));
  });

  it("is not recorded, and is counted", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const { id } = await proxy.turn(session, messages);
    await proxy.post(CHAT, { model: JUDGE, messages }, session.key);
    await proxy.post("/v1/messages/count_tokens", { model: JUDGE, messages }, session.key);
    expect(proxy.engine.calls).toHaveLength(1);
    const record = (await proxy.request({ url: `/rl/sessions/${session.id}` })).json();
    expect(record).toMatchObject({ interaction_count: 1, upstream_calls: 2, calls_in_flight: 0, aborted_calls: 0 });
    const scrape = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(readSample(scrape, series("answered"))).toBe(2);
    await proxy.end(session);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.keys(interactions)).toEqual([id]);
  });

  it("has its model renamed and all other bytes kept", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(`${upstream.url}/openai/v1/`, { model: 'gpt-"5"' })]);
    const session = await proxy.session();
    const send = (payload: string) =>
      proxy.request(
        { method: "POST", url: CHAT, payload, headers: { "content-type": "application/json" } },
        session.key,
      );
    await send(`{"n":1.0,"metadata":{"model":"x"},\n"model":"${JUDGE}" ,"stop":["\\u0041"]}`);
    await send(`{"model":"tiny","mod\\u0065l":"${JUDGE}","n":1}`);
    expect(upstream.requests.map(({ path }) => path)).toEqual(Array(2).fill("/openai/v1/chat/completions"));
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual([
      '{"n":1.0,"metadata":{"model":"x"},\n"model":"gpt-\\"5\\"" ,"stop":["\\u0041"]}',
      '{"model":"gpt-\\"5\\"","n":1}',
    ]);
  });

  it("receives errors of the upstream unchanged", async () => {
    const error = { error: { message: "slow down", type: "rate_limit" } };
    // A proxy before this server would send later calls of the session to this worker.
    const dropped = { "set-cookie": "a=b", "x-rolltape-worker": "other" };
    const upstream = await startUpstream(answerJson(error, 429, { "retry-after": "7", ...dropped }));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const reply = await proxy.post(CHAT, { model: JUDGE }, session.key);
    expect([reply.status, reply.json(), reply.headers["retry-after"]]).toEqual([429, error, "7"]);
    for (const name of Object.keys(dropped)) expect(reply.headers[name]).toBeUndefined();
    const scrape = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(readSample(scrape, series("error"))).toBe(1);
  });

  it("has a response that cannot be retrieved here, and the error says so", async () => {
    const upstream = await startUpstream(answerJson({ id: "resp_of_upstream" }));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const retrieve = () => proxy.request({ url: "/v1/responses/resp_of_upstream" }, session.key);
    const message = 'The session has no stored response "resp_of_upstream".';
    expect((await retrieve()).error.message).toBe(message);
    await proxy.post("/v1/responses", { model: JUDGE, input: "x" }, session.key);
    const reply = await retrieve();
    expect([reply.refusal, reply.error.message]).toEqual([
      "404 response_not_found",
      `${message} Responses of upstreams cannot be retrieved here. Retrieve them from the upstream itself.`,
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  it("may have any size that the server accepts, and is not kept among the session's bodies", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const long = [user("word ".repeat(200_000))];
    await proxy.post(CHAT, { model: JUDGE, messages: long }, session.key);
    expect(upstream.requests[0]?.json).toEqual({ model: JUDGE, messages: long });
    expect(proxy.context.conversations.bodies.bytes).toBe(0);
  });
});

describe("calls for other models", () => {
  it.each(["tiny", "gpt-4", "gpt-4o", "", undefined])("are answered by the policy: %s", async (model) => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url), { models: ["tiny"], refuse: true }]);
    const session = await proxy.session();
    const reply = await proxy.post(CHAT, { model, messages }, session.key);
    expect([reply.status, proxy.engine.calls.length, upstream.requests.length]).toEqual([200, 1, 0]);
  });

  it("are refused in Gemini's API, which no upstream has, and are not recorded", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url), { models: ["banned"], refuse: true }]);
    const session = await proxy.session();
    const contents = [{ role: "user", parts: [{ text: "Is it right?" }] }];
    const generate = (model: string) =>
      proxy.post(`/v1beta/models/${model}:generateContent`, { contents }, session.key);
    for (const model of [JUDGE, "banned"]) {
      const reply = await generate(model);
      expect([reply.status, reply.raw.toString()]).toEqual([404, expect.stringContaining("model_refused")]);
    }
    expect(upstream.requests).toEqual([]);
    expect((await generate("other")).status).toBe(200);
    await proxy.end(session);
    expect(Object.keys((await proxy.export(session)).json<WireExport>().interactions)).toHaveLength(1);
  });

  it("are sent with the name that was looked up if the body has two", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const { key } = await proxy.session();
    const payload = `{"model":"other","messages":[],"model":"${JUDGE}"}`;
    await proxy.request({ method: "POST", url: CHAT, payload, headers: { "content-type": "application/json" } }, key);
    expect(upstream.requests[0]?.body.toString()).toBe(`{"model":"${JUDGE}","messages":[]}`);
  });

  it("are refused if an entry says so, in the shape of the API", async () => {
    const proxy = await startProxy([{ models: ["*"], refuse: true }]);
    const session = await proxy.session();
    const chat = await proxy.post(CHAT, { model: "o1", messages }, session.key);
    expect([chat.refusal, chat.error.param]).toEqual(["404 model_refused", "model"]);
    const anthropic = await proxy.post("/v1/messages", { model: "o1" }, session.key);
    expect(anthropic.json()).toMatchObject({
      type: "error",
      error: { type: "not_found_error", code: "model_refused" },
    });
    expect((await proxy.post(CHAT, { model: "tiny", messages }, session.key)).status).toBe(200);
  });
});

describe("keys", () => {
  const leaky = (key: string) => ({
    "x-api-key": key,
    cookie: "session=1",
    "x-custom": `token ${key}`,
    "openai-organization": "org-1",
    "x-forwarded-for": "10.0.0.1",
    connection: "x-hop, keep-alive",
    "x-hop": "1",
    "anthropic-beta": "b1",
  });

  it("of the session are not sent, and neither are cookies and headers of the connection", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url, { apiKey: undefined })]);
    const { key } = await proxy.session();
    const url = `${CHAT}?key=${key}`;
    const payload = { model: JUDGE };
    const reply = await proxy.request({ method: "POST", url, payload, headers: leaky(key) }, key);
    expect(reply.status).toBe(200);
    const [request] = upstream.requests;
    expect(JSON.stringify([request?.headers, request?.url.href])).not.toContain(key);
    const names = Object.keys(request?.headers ?? {});
    expect(names).toContain("anthropic-beta");
    for (const name of Object.keys(leaky(key)).filter((each) => each !== "anthropic-beta" && each !== "connection")) {
      expect(names).not.toContain(name);
    }
    expect(names).not.toContain("authorization");
  });

  it.each<[string, (key: string) => string]>([
    ["base64", (key) => toBase64(key)],
    ["base64 after other text", (key) => `Basic ${toBase64(`u:${key}`)}`],
    ["base64 between other texts", (key) => toBase64(`{"key":"${key}"}`)],
    ["base64 for URLs", (key) => Buffer.from(`>>>???>>>??:${key}`).toString("base64url")],
    ["percent-encoded bytes", (key) => key.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`)],
    ["hexadecimal digits", (key) => Buffer.from(key).toString("hex").toUpperCase()],
  ])("of the session are not sent as %s either, in a header or in the query", async (_, encode) => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const { key } = await proxy.session();
    const encoded = encode(key);
    const headers = { "x-custom": encoded, "x-other": encode("sk-another-key-0123456789") };
    const url = `${CHAT}?token=${encodeURIComponent(encoded)}`;
    await proxy.request({ method: "POST", url, payload: { model: JUDGE }, headers }, key);
    const [request] = upstream.requests;
    expect(request?.headers).not.toHaveProperty("x-custom");
    expect(request?.headers).toHaveProperty("x-other");
    expect(request?.url.search).toBe("");
  });

  it("of the upstream never appear in answers of the server", async () => {
    const upstream = await startUpstream(answerJson({}, 500));
    const proxy = await startProxy([upstreamAt(upstream.url), upstreamAt("http://127.0.0.1:1", { models: ["gone"] })]);
    const session = await proxy.session();
    await proxy.turn(session, messages);
    const replies = [
      await proxy.post(CHAT, { model: JUDGE }, session.key),
      await proxy.post(CHAT, { model: "gone" }, session.key),
      await proxy.request({ url: "/health" }),
      await proxy.request({ url: "/metrics" }),
      await proxy.request({ url: "/v1/models" }, session.key),
      await proxy.request({ url: `/rl/sessions/${session.id}` }),
    ];
    await proxy.end(session);
    replies.push(await proxy.post("/export_batch", { session_ids: [session.id] }));
    for (const { raw, headers } of replies) {
      expect(raw.toString("latin1")).not.toContain(UPSTREAM_KEY);
      expect(JSON.stringify(headers)).not.toContain(UPSTREAM_KEY);
    }
    expect(replies[1]?.refusal).toBe("502 upstream_unavailable");
  });

  it("of a session are checked first", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    expect((await proxy.post(CHAT, { model: JUDGE }, null)).refusal).toBe("401 missing_api_key");
    expect((await proxy.post(CHAT, { model: JUDGE })).refusal).toBe("403 wrong_key_kind");
    await proxy.turn(session, messages);
    await proxy.end(session);
    expect((await proxy.post(CHAT, { model: JUDGE }, session.key)).refusal).toBe("409 session_ended");
    await proxy.export(session);
    expect((await proxy.post(CHAT, { model: JUDGE }, session.key)).refusal).toBe("401 invalid_api_key");
    expect(upstream.requests).toHaveLength(0);
  });
});

describe("an upstream that fails", () => {
  it("gives 502 in the shape of the API if it cannot be reached", async () => {
    const proxy = await startProxy([upstreamAt("http://127.0.0.1:1")]);
    const session = await proxy.session();
    const chat = await proxy.post(CHAT, { model: JUDGE }, session.key);
    expect([chat.refusal, chat.error.type]).toEqual(["502 upstream_unavailable", "server_error"]);
    const anthropic = await proxy.post("/v1/messages", { model: JUDGE }, session.key);
    expect(anthropic.json()).toMatchObject({ type: "error", error: { code: "upstream_unavailable" } });
    const scrape = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(readSample(scrape, series("unavailable"))).toBe(2);
  });

  it("gives 504 if its answer does not begin in time", async () => {
    const upstream = await startRaw(() => undefined);
    const proxy = await startProxy([upstreamAt(upstream.url, { timeoutSeconds: 0.05 })]);
    const session = await proxy.session();
    expect((await proxy.post(CHAT, { model: JUDGE }, session.key)).refusal).toBe("504 upstream_timeout");
    await upstream.close();
  });

  it("gives 502 if it redirects, because clients would send their key there", async () => {
    const upstream = await startUpstream(answerJson({}, 307, { location: "https://example.com/" }));
    const proxy = await startProxy([upstreamAt(upstream.url)]);
    const session = await proxy.session();
    const reply = await proxy.post(CHAT, { model: JUDGE }, session.key);
    expect([reply.refusal, reply.headers["location"]]).toEqual(["502 upstream_unavailable", undefined]);
  });
});
