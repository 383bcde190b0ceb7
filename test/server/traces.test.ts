import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { captureLog } from "../helpers/captured-log.js";
import { Proxy, type ProxyOptions } from "../helpers/proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID, startTelemetry, UNSAMPLED } from "../helpers/traces.js";

const MESSAGES = [{ role: "user", content: "private question" }];

async function startTraced({ ratio = 1, ...options }: ProxyOptions<ScriptedEngine> & { ratio?: number } = {}) {
  const { telemetry, flush } = await startTelemetry({ ratio });
  const proxy = await Proxy.start({ ...options, telemetry });
  onTestFinished(() => proxy.close());
  return { proxy, flush, session: await proxy.session() };
}

describe("a model call", () => {
  it("is a span with its steps and what it cost", async () => {
    const { proxy, flush, session } = await startTraced();
    proxy.engine.replies.push({ ids: [300, 301, 302], finish: { reason: "length" }, cachedTokens: 4 });
    const reply = await proxy.chat(session, MESSAGES, { model: "asked" }, CLIENT_TRACE);
    const receiver = await flush();
    const call = receiver.span("chat tiny");
    const { id, usage } = reply.json<{ id: string; usage: { prompt_tokens: number } }>();
    expect(call).toMatchObject({ kind: "server", traceId: CLIENT_TRACE_ID, parentId: CLIENT_SPAN_ID, failed: false });
    expect(call.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.system": "scripted",
      "gen_ai.request.model": "asked",
      "gen_ai.response.model": "tiny",
      "gen_ai.response.id": id,
      "gen_ai.conversation.id": session.id,
      "gen_ai.response.finish_reasons": ["length"],
      "gen_ai.usage.input_tokens": usage.prompt_tokens,
      "gen_ai.usage.output_tokens": 3,
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "rolltape.api": "chat.completions",
    });
    expect(receiver.childrenOf(call)).toEqual(["render", "queue", "engine", "parse"]);
    expect(receiver.spans.every(({ nanoseconds }) => nanoseconds >= 0n)).toBe(true);
  });

  it("has the attributes of the latest conventions if the environment opts in", async () => {
    vi.stubEnv("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { proxy, flush, session } = await startTraced();
    proxy.engine.replies.push({ ids: [300], cachedTokens: 4 });
    await proxy.chat(session, MESSAGES, { stream: true });
    const { attributes } = (await flush()).span("chat tiny");
    expect(attributes).toMatchObject({
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.stream": true,
      "gen_ai.usage.cache_read.input_tokens": 4,
    });
    expect(attributes).not.toHaveProperty("gen_ai.system");
  });

  it("gives the engine its own step as the parent", async () => {
    const { proxy, flush, session } = await startTraced();
    await proxy.chat(session, MESSAGES, {}, CLIENT_TRACE);
    const { spanId } = (await flush()).span("engine");
    expect(proxy.engine.calls[0]?.traceHeaders).toEqual({
      traceparent: `00-${CLIENT_TRACE_ID}-${spanId}-01`,
      tracestate: "rojo=1",
    });
  });

  it("tells the engine that it is not sampled, and sends no span", async () => {
    const { proxy, flush, session } = await startTraced();
    await proxy.chat(session, MESSAGES, {}, UNSAMPLED);
    expect(proxy.engine.calls[0]?.traceHeaders).toEqual(UNSAMPLED);
    expect((await flush()).spans.filter(({ traceId }) => traceId === CLIENT_TRACE_ID)).toEqual([]);
  });

  it("tells the engine nothing if it begins a trace that is not sampled", async () => {
    const { proxy, session } = await startTraced({ ratio: 0 });
    await proxy.chat(session, MESSAGES);
    expect(proxy.engine.calls[0]?.traceHeaders).toBeUndefined();
  });

  it("belongs to the trace that started its session, if it has none of its own", async () => {
    const { proxy, flush } = await startTraced({ ratio: 0 });
    await proxy.post("/grant_capacity", {});
    const started = await proxy.request({
      method: "POST",
      url: "/rl/start_session",
      headers: CLIENT_TRACE,
      payload: {},
    });
    const { session_api_key: key } = started.json<{ session_api_key: string }>();
    await proxy.post("/v1/chat/completions", { messages: MESSAGES }, key);
    const receiver = await flush();
    for (const name of ["POST /rl/start_session", "chat tiny"]) {
      expect(receiver.span(name)).toMatchObject({ traceId: CLIENT_TRACE_ID, parentId: CLIENT_SPAN_ID });
    }
  });

  it("has queue, engine and parse for each choice", async () => {
    const { proxy, flush, session } = await startTraced();
    await proxy.chat(session, MESSAGES, { n: 2 });
    const receiver = await flush();
    const call = receiver.span("chat tiny");
    expect(call.attributes).toMatchObject({
      "gen_ai.request.choice.count": 2,
      "gen_ai.response.finish_reasons": ["stop", "stop"],
      "gen_ai.usage.output_tokens": 6,
    });
    for (const name of ["queue", "engine", "parse"]) {
      const steps = receiver.spans.filter((span) => span.name === name && span.parentId === call.spanId);
      expect(steps.map(({ attributes }) => attributes["rolltape.choice"])).toEqual(expect.arrayContaining([0, 1]));
      expect(steps).toHaveLength(2);
    }
  });

  it("has a step for the disk if sessions are stored", async () => {
    const { proxy, flush, session } = await startTraced({ storage: { directory: temporaryFolder() } });
    await proxy.chat(session, MESSAGES);
    const receiver = await flush();
    expect(receiver.childrenOf(receiver.span("chat tiny"))).toEqual(["render", "queue", "engine", "parse", "disk"]);
  });

  it.each([false, true])("fails with the error code of the engine; stream: %j", async (stream) => {
    const { proxy, flush, session } = await startTraced();
    proxy.engine.replies.push({
      ids: [300, 301],
      perFrame: 1,
      beforeFrame: (frame) =>
        frame === 0 && stream ? undefined : Promise.reject(new EngineError("engine_error", "private")),
    });
    await proxy.chat(session, MESSAGES, { stream });
    const receiver = await flush();
    const failed = { failed: true, attributes: { "error.type": "engine_error" } };
    expect(receiver.span("chat tiny")).toMatchObject(failed);
    expect(receiver.span("chat tiny").attributes).toMatchObject({ "http.response.status_code": stream ? 200 : 502 });
    expect(receiver.span("engine")).toMatchObject(failed);
    expect(receiver.span("render")).toMatchObject({ failed: false });
  });

  it("is a span if it is refused, but not without a valid key", async () => {
    const { proxy, flush, session } = await startTraced();
    await proxy.chat(session, [], {}, CLIENT_TRACE);
    await proxy.post("/v1/chat/completions", { messages: MESSAGES }, "sk-unknown");
    const calls = (await flush()).spans.filter(({ attributes }) => attributes["http.route"] === "/v1/chat/completions");
    expect(calls).toMatchObject([
      {
        name: "POST /v1/chat/completions",
        failed: true,
        attributes: { "error.type": "invalid_value", "http.response.status_code": 400 },
      },
    ]);
  });

  it("puts no text, token or key into spans", async () => {
    const { telemetry, receiver, flush } = await startTelemetry();
    const proxy = await Proxy.start({ telemetry });
    onTestFinished(() => proxy.close());
    const session = await proxy.session();
    proxy.engine.replies.push(new EngineError("engine_error", "private reason"));
    await proxy.chat(session, MESSAGES);
    await proxy.request(
      {
        method: "POST",
        url: `/s/${session.key}/v1/chat/completions?key=${session.key}`,
        payload: { messages: MESSAGES },
      },
      null,
    );
    await proxy.export(session);
    await flush();
    expect(receiver.spans.length).toBeGreaterThan(5);
    const sent = Buffer.concat(receiver.bodies).toString("latin1");
    for (const secret of ["private", session.key]) expect(sent).not.toContain(secret);
  });
});

it("logs the trace id of a sampled request that brought none", async () => {
  const { logger, lines } = captureLog();
  const { proxy, flush, session } = await startTraced({ logger });
  proxy.engine.replies.push(new EngineError("engine_error", "broke"));
  await proxy.chat(session, MESSAGES);
  const { traceId } = (await flush()).span("chat tiny");
  expect(lines).toContainEqual(expect.objectContaining({ code: "engine_error", trace_id: traceId }));
});

describe("an export", () => {
  it.each([
    ["/export_trajectories", { format: "json" }],
    ["/export_trajectories", { format: "safetensors" }],
    ["/export_batch", {}],
  ])("is a span with its steps: %s %j", async (url, extra) => {
    const { proxy, flush, session } = await startTraced();
    await proxy.chat(session, MESSAGES);
    await proxy.end(session);
    const which = url === "/export_batch" ? { session_ids: [session.id] } : { session_id: session.id };
    expect((await proxy.post(url, { ...which, ...extra })).status).toBe(200);
    const receiver = await flush();
    const span = receiver.span(`POST ${url}`);
    expect(span).toMatchObject({ failed: false, attributes: { "rolltape.export.sessions": 1 } });
    expect(receiver.childrenOf(span)).toEqual(["wait", "pack"]);
  });

  it("fails with the error code if a session cannot be exported", async () => {
    const { proxy, flush, session } = await startTraced();
    await proxy.post("/export_batch", { session_ids: [session.id] });
    const receiver = await flush();
    expect(receiver.span("POST /export_batch")).toMatchObject({
      failed: true,
      attributes: { "error.type": "session_active" },
    });
    expect(receiver.span("wait")).toMatchObject({ failed: true });
  });
});
