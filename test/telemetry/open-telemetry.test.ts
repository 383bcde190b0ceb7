import { Worker } from "node:worker_threads";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { readTraceContext } from "../../src/http/trace-context.js";
import { openTelemetry } from "../../src/telemetry/open-telemetry.js";
import { captureLog } from "../helpers/captured-log.js";
import { OtlpReceiver } from "../helpers/otlp-receiver.js";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID, startTelemetry, UNSAMPLED } from "../helpers/traces.js";
import { until } from "../helpers/until.js";

afterEach(() => void vi.unstubAllEnvs());

function fakeTimeouts(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Spans of one request to the collector. */
const BATCH = 512;

const start = (name: string) => ({ name, kind: "internal" }) as const;

it("starts no thread without an address", async () => {
  const startThread = vi.fn<() => never>();
  expect(await openTelemetry({ otlp_url: null, sample_ratio: 1 }, { service: "s" }, startThread)).toBeUndefined();
  expect(startThread).not.toHaveBeenCalled();
});

it("names the packages to install if the SDK is missing", async () => {
  const settings = { otlp_url: "http://127.0.0.1:9", sample_ratio: 1 };
  const withoutSdk = () => new Worker('import("@opentelemetry/not-installed")', { eval: true });
  const opening = openTelemetry(settings, { service: "s" }, withoutSdk);
  await expect(opening).rejects.toMatchObject({
    code: "telemetry_unavailable",
    message: expect.stringMatching(
      /npm install @opentelemetry\/sdk-trace@2 .*exporter-trace-otlp-proto@0\.223$/,
    ) as string,
  });
});

it("says why the exporter refuses its settings", async () => {
  const opening = openTelemetry({ otlp_url: "nonsense", sample_ratio: 1 }, { service: "s" });
  await expect(opening).rejects.toMatchObject({
    code: "telemetry_unavailable",
    message: expect.stringMatching(/^The traces of telemetry\.otlp_url cannot be sent: .*URL/) as string,
  });
});

it("fails if its thread ends at once", async () => {
  const settings = { otlp_url: "http://127.0.0.1:9", sample_ratio: 1 };
  const ending = () => new Worker("process.exit(3)", { eval: true });
  await expect(openTelemetry(settings, { service: "s" }, ending)).rejects.toMatchObject({
    message: "The traces of telemetry.otlp_url cannot be sent: the span thread ended with code 3",
  });
});

it("sends many traces that end at once, each with all its spans", async () => {
  const { telemetry, flush } = await startTelemetry();
  for (let i = 0; i < 2000; i++) {
    const { trace } = telemetry.start(start("a"));
    const steps = trace?.steps();
    for (const step of ["render", "queue", "engine", "parse"] as const) steps?.enter(step);
    trace?.end();
  }
  const { spans } = await flush();
  expect(spans.filter(({ name }) => name === "a")).toHaveLength(2000);
  expect(spans).toHaveLength(5 * 2000);
});

it("has the time of the clock, also after the clock was set", async () => {
  const { telemetry, flush } = await startTelemetry();
  const now = Date.now() + 3_600_000;
  vi.spyOn(Date, "now").mockReturnValue(now);
  onTestFinished(() => void vi.restoreAllMocks());
  telemetry.start(start("a")).trace?.end();
  const { startTime } = (await flush()).span("a");
  expect(Math.abs(startTime - now)).toBeLessThan(60_000);
});

it("samples each new trace or none, as the ratio says", async () => {
  const all = await startTelemetry({ ratio: 1 });
  const none = await startTelemetry({ ratio: 0 });
  all.telemetry.start(start("a")).trace?.end();
  const { trace, headers } = none.telemetry.start(start("a"));
  expect(trace).toBeUndefined();
  expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect((await all.flush()).span("a")).toMatchObject({ kind: "internal", parentId: "", failed: false });
  expect((await none.flush()).spans).toEqual([]);
});

it("samples the child of a sampled parent, whatever the ratio is", async () => {
  const { telemetry, flush } = await startTelemetry({ ratio: 0 });
  const { headers, trace } = telemetry.start({ ...start("a"), parent: CLIENT_TRACE });
  trace?.end();
  const { traceId, spanId, parentId } = (await flush()).span("a");
  expect({ traceId, parentId }).toEqual({ traceId: CLIENT_TRACE_ID, parentId: CLIENT_SPAN_ID });
  expect(headers.traceparent).toBe(`00-${traceId}-${spanId}-01`);
});

it("does not sample the child of a parent that is not sampled, whatever the ratio is", async () => {
  const { telemetry, flush } = await startTelemetry({ ratio: 1 });
  const { headers, trace } = telemetry.start({ ...start("a"), parent: UNSAMPLED });
  expect(trace).toBeUndefined();
  expect(headers).toEqual(UNSAMPLED);
  expect((await flush()).spans).toEqual([]);
});

it("samples about as many of the new traces as the ratio says", async () => {
  const { telemetry } = await startTelemetry({ ratio: 0.25 });
  const sampled = Array.from({ length: 4000 }, () => telemetry.start(start("a")).trace).filter(Boolean).length;
  expect(sampled).toBeGreaterThan(800);
  expect(sampled).toBeLessThan(1200);
});

it("samples no trace with ratio 0, whatever the chance", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const { telemetry } = await startTelemetry({ ratio: 0 });
  expect(telemetry.start(start("a")).trace).toBeUndefined();
});

it("gives each trace that is not sampled an id of its own", async () => {
  const { telemetry } = await startTelemetry({ ratio: 0 });
  const ids = Array.from({ length: 1000 }, () => readTraceContext(telemetry.start(start("a")).headers)?.traceId);
  expect(new Set(ids).size).toBe(1000);
  expect(ids).not.toContain(undefined);
});

it("passes the tracestate of a parent on", async () => {
  const { telemetry } = await startTelemetry();
  expect(telemetry.start({ ...start("a"), parent: CLIENT_TRACE }).headers).toMatchObject({ tracestate: "rojo=1" });
});

it("names service, instance and version, unless OTEL_SERVICE_NAME does", async () => {
  const first = await startTelemetry({ service: "rolltape-proxy", instanceId: "i-1" });
  first.telemetry.start(start("a")).trace?.end();
  expect((await first.flush()).span("a").resource).toEqual({
    "service.name": "rolltape-proxy",
    "service.instance.id": "i-1",
    "service.version": expect.stringMatching(/^\d/) as string,
  });
  vi.stubEnv("OTEL_SERVICE_NAME", "mine");
  vi.stubEnv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret");
  const second = await startTelemetry();
  second.telemetry.start(start("a")).trace?.end();
  const { headers, ...receiver } = await second.flush();
  expect(receiver.spans[0]?.resource).toMatchObject({ "service.name": "mine" });
  expect(headers).toMatchObject([{ "x-key": "secret", "content-type": "application/x-protobuf" }]);
});

it("ends steps with their trace, and marks those that were running as failed", async () => {
  const { telemetry, flush } = await startTelemetry();
  const { trace } = telemetry.start(start("a"));
  const steps = trace?.steps();
  steps?.enter("render");
  steps?.enter("engine");
  trace?.fail("engine_error");
  trace?.fail("call_aborted");
  trace?.end();
  const receiver = await flush();
  expect(receiver.childrenOf(receiver.span("a"))).toEqual(["render", "engine"]);
  expect(receiver.span("render")).toMatchObject({ failed: false, attributes: {} });
  expect(receiver.span("engine")).toMatchObject({ kind: "client", failed: true });
  expect(receiver.span("a")).toMatchObject({ failed: true, attributes: { "error.type": "engine_error" } });
});

it("closes as soon as the collector has the spans, and leaves no timer", async () => {
  fakeTimeouts();
  const { telemetry, receiver } = await startTelemetry();
  {
    await using closed = telemetry;
    closed.start(start("a")).trace?.end();
  }
  expect(receiver.spans).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
});

it.each(["/", "/v1/traces", "/v1/traces//"])(
  "sends spans to /v1/traces, also if the address ends in %s",
  async (end) => {
    const receiver = await OtlpReceiver.start();
    const settings = { otlp_url: receiver.url + end, sample_ratio: 1 };
    const telemetry = await openTelemetry(settings, { service: "s" });
    telemetry?.start(start("a")).trace?.end();
    await telemetry?.close();
    expect(receiver.spans).toHaveLength(1);
  },
);

it("logs once that the collector refuses spans", async () => {
  const { logger, lines } = captureLog();
  const { telemetry, receiver } = await startTelemetry({ mode: "refuse", log: logger });
  const sendBatch = async () => {
    const { length } = receiver.bodies;
    for (let i = 0; i < BATCH; i++) telemetry.start(start("a")).trace?.end();
    await until(() => receiver.bodies.length > length);
  };
  await sendBatch();
  await until(() => lines.length > 0);
  await sendBatch();
  await telemetry.close();
  expect(lines).toEqual([
    expect.objectContaining({ key: "telemetry.otlp_url", msg: "the collector took no spans; they are lost" }),
  ]);
});

it("closes after two seconds if nothing listens at the address", async () => {
  fakeTimeouts();
  const telemetry = await openTelemetry({ otlp_url: "http://127.0.0.1:9/", sample_ratio: 1 }, { service: "s" });
  telemetry?.start(start("a")).trace?.end();
  const closing = telemetry?.close();
  await vi.advanceTimersByTimeAsync(2000);
  await expect(closing).resolves.toBeUndefined();
});

it("drops spans while the collector does not answer, and closes nevertheless after two seconds", async () => {
  const { telemetry, receiver } = await startTelemetry({ mode: "hang" });
  for (let i = 0; i < 100_000; i++) {
    telemetry.start(start("a")).trace?.end();
    if (i % 1000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  fakeTimeouts();
  const closed = vi.fn<() => void>();
  const closing = telemetry.close().then(closed);
  while (receiver.bodies.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(1999);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  // A batch that waits for its answer, and those of the close.
  expect(receiver.bodies.length).toBeLessThanOrEqual(1 + 4096 / BATCH);
});
