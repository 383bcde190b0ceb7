import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { ApiError } from "../../src/http/errors.js";
import { failTrace, type TracingOptions, tracing } from "../../src/http/tracing.js";
import type { Telemetry } from "../../src/telemetry/telemetry.js";
import type { TraceStart } from "../../src/telemetry/trace.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

const CLIENT = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` };
const SESSION = { traceparent: `00-${"3".repeat(32)}-${"4".repeat(16)}-01` };
const OWN = { traceparent: `00-${"5".repeat(32)}-${"6".repeat(16)}-01` };

interface Options extends Partial<TracingOptions> {
  readonly isSampled?: boolean;
}

async function start({ isSampled = true, ...options }: Options = {}) {
  const [starts, ends]: [TraceStart[], unknown[]] = [[], []];
  const trace = {
    id: "own",
    set: (values: object) => ends.push(values),
    fail: (code: string) => ends.push(code),
    end: () => ends.push("end"),
  };
  const telemetry = {
    start: (begun: TraceStart) => {
      starts.push(begun);
      return { headers: OWN, trace: isSampled ? trace : undefined };
    },
  } as unknown as Telemetry;
  const { logger, lines } = captureLog();
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS, logger });
  onTestFinished(() => app.close());
  await app.register(tracing, { telemetry, isTraced: ({ url }) => url !== "/untraced", ...options });
  const show = async ({ trace, clientTrace, traceHeaders, log }: Parameters<TracingOptions["isTraced"]>[0]) => {
    log.info("route");
    return { isTraced: trace !== null, clientTrace, traceHeaders };
  };
  app.get("/items/:id", show);
  app.get("/untraced", show);
  app.get("/forwarded", { config: { beginsTrace: false } }, show);
  app.get("/failed", async (request, reply) => {
    failTrace(new ApiError("engine_error", "no"), request);
    return reply.code(502).send({});
  });
  const get = async (url: string, headers: Record<string, string> = {}) => (await app.inject({ url, headers })).json();
  return { get, starts, ends, lines };
}

it("a request gets a span with its route and its status", async () => {
  const { get, starts, ends, lines } = await start();
  expect(await get("/items/7?x=1")).toEqual({ isTraced: true, clientTrace: null, traceHeaders: OWN });
  const attributes = { method: "GET", route: "/items/:id" };
  expect(starts).toEqual([{ name: "GET /items/:id", kind: "server", parent: undefined, attributes }]);
  await expect.poll(() => ends).toEqual([{ status: 200 }, "end"]);
  expect(lines).toMatchObject([{ msg: "route", trace_id: "own" }]);
});

it("a request without a route has its method as the name of its span", async () => {
  const { get, starts } = await start();
  await get("/nothing");
  expect(starts).toMatchObject([{ name: "GET" }]);
});

it("a trace of the client, or else that of the session, is continued", async () => {
  const { get, starts, lines } = await start({ findParent: () => SESSION });
  expect(await get("/items/7", CLIENT)).toMatchObject({ clientTrace: CLIENT, traceHeaders: OWN });
  await get("/items/7");
  expect(starts.map(({ parent }) => parent)).toEqual([CLIENT, SESSION]);
  expect(lines.map((line) => line["trace_id"])).toEqual(["1".repeat(32), "own"]);
});

it("a request that is forwarded begins no trace, and continues that of its client", async () => {
  const { get, starts } = await start();
  expect(await get("/forwarded")).toEqual({ isTraced: false, clientTrace: null, traceHeaders: null });
  await get("/forwarded", CLIENT);
  expect(starts.map(({ parent }) => parent)).toEqual([CLIENT]);
});

it("a request that is not sampled has headers to pass on, and no span", async () => {
  const { get, ends } = await start({ isSampled: false });
  expect(await get("/items/7")).toEqual({ isTraced: false, clientTrace: null, traceHeaders: OWN });
  expect(ends).toEqual([]);
});

it("nothing is traced without telemetry, or if the route is not", async () => {
  const none = { isTraced: false, clientTrace: null, traceHeaders: null };
  expect(await (await start()).get("/untraced", CLIENT)).toEqual(none);
  expect(await (await start({ telemetry: undefined })).get("/items/7", CLIENT)).toEqual(none);
});

it("a failed request says so in its span", async () => {
  const { get, ends } = await start();
  await get("/failed");
  await expect.poll(() => ends).toEqual(["engine_error", { status: 502 }, "end"]);
  failTrace(new ApiError("engine_error", "no"), undefined);
});
