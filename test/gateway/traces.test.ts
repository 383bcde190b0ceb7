import { expect, it } from "vitest";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID, startTelemetry } from "../helpers/traces.js";
import { Gateway, startWorker } from "./workers.js";

const MESSAGES = [{ role: "user", content: "hi" }];
const post = (headers: Record<string, string>, body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

it("adds a span between that of the client and that of the worker", async () => {
  const front = await startTelemetry({ service: "gateway" });
  const back = await startTelemetry({ service: "worker" });
  const worker = await startWorker("one", { telemetry: back.telemetry });
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { telemetry: front.telemetry });
  const { key } = await gateway.session();
  await gateway.send("/v1/chat/completions", post(CLIENT_TRACE, { messages: MESSAGES }), key);
  const forwarded = (await front.flush()).span("POST /*");
  expect(forwarded).toMatchObject({
    kind: "server",
    traceId: CLIENT_TRACE_ID,
    parentId: CLIENT_SPAN_ID,
    failed: false,
  });
  const receiver = await back.flush();
  expect(receiver.span("chat tiny")).toMatchObject({ traceId: CLIENT_TRACE_ID, parentId: forwarded.spanId });
});

it("starts sessions in the trace of its client", async () => {
  const front = await startTelemetry({ ratio: 0 });
  const back = await startTelemetry({ ratio: 0 });
  const worker = await startWorker("one", { telemetry: back.telemetry });
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { telemetry: front.telemetry });
  await gateway.post("/grant_capacity");
  const started = await gateway.send("/rl/start_session", post(CLIENT_TRACE, {}));
  const { api_key: key } = started.json<{ api_key: string }>();
  await gateway.chat(key, "hi");
  const { spanId } = (await front.flush()).span("POST /rl/start_session");
  const receiver = await back.flush();
  expect(receiver.span("POST /rl/start_session")).toMatchObject({ traceId: CLIENT_TRACE_ID, parentId: spanId });
  expect(receiver.span("chat tiny")).toMatchObject({ traceId: CLIENT_TRACE_ID, parentId: spanId });
});

it("lets the worker begin the trace of a session and of a call", async () => {
  const front = await startTelemetry();
  const back = await startTelemetry();
  const worker = await startWorker("one", { telemetry: back.telemetry });
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { telemetry: front.telemetry });
  const { key } = await gateway.session();
  await gateway.chat(key, "hi");
  expect((await front.flush()).spans.map(({ name }) => name)).toEqual(["POST /grant_capacity"]);
  const receiver = await back.flush();
  for (const name of ["POST /rl/start_session", "chat tiny"]) expect(receiver.span(name).parentId).toBe("");
});

it("passes the client's trace on unchanged without telemetry", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const { key } = await gateway.session();
  await gateway.send("/v1/chat/completions", post(CLIENT_TRACE, { messages: MESSAGES }), key);
  expect(worker.proxy.engine.calls[0]?.traceHeaders).toEqual(CLIENT_TRACE);
});

it("fails the span of a call whose worker is unknown", async () => {
  const front = await startTelemetry();
  const gateway = await Gateway.start({ urls: [] }, 60, 1 << 26, true, { telemetry: front.telemetry });
  await gateway.send(
    "/v1/chat/completions",
    post(CLIENT_TRACE, { messages: MESSAGES }),
    "sk-gone.0123456789abcdef0123",
  );
  expect((await front.flush()).span("POST /*")).toMatchObject({
    failed: true,
    attributes: { "error.type": "worker_unavailable", "http.response.status_code": 503 },
  });
});
