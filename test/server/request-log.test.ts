import { expect, it, onTestFinished } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { captureLog } from "../helpers/captured-log.js";
import { Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

const ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const traced = { traceparent: `00-${ID}-00f067aa0ba902b7-01`, tracestate: "rojo=1" };
const payload = { model: "m", messages: [{ role: "user", content: "private text" }] };

async function startLogged(accessLog: boolean) {
  const { logger, lines } = captureLog();
  const proxy = await Proxy.start({ settings: { accessLog }, logger });
  onTestFinished(() => proxy.close());
  const session = await proxy.session();
  const call = (headers: Record<string, string>) =>
    proxy.request({ method: "POST", url: "/v1/chat/completions?key=hidden", headers, payload }, session.key);
  return { proxy, session, lines, call };
}

it("passes the trace of a call on to the engine, and logs its id", async () => {
  const { proxy, lines, call } = await startLogged(false);
  proxy.engine.replies.push(new EngineError("engine_error", "broke"));
  await call(traced);
  expect(proxy.engine.calls[0]?.traceHeaders).toEqual(traced);
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, code: "engine_error", trace_id: ID }));
});

it("ignores a malformed trace", async () => {
  const { proxy, lines, call } = await startLogged(false);
  proxy.engine.replies.push(new EngineError("engine_error", "broke"));
  await call({ traceparent: "00-1-2-3" });
  expect(proxy.engine.calls[0]?.traceHeaders).toBeUndefined();
  expect(lines.some((line) => "trace_id" in line)).toBe(false);
});

it("logs one line per request with access_log, without query, key and body", async () => {
  const { lines, session, call } = await startLogged(true);
  const requests = () => lines.filter(({ msg, path }) => msg === "request" && path === "/v1/chat/completions");
  await call(traced);
  await until(() => requests().length > 0);
  expect(requests()).toEqual([expect.objectContaining({ method: "POST", status: 200, complete: true, trace_id: ID })]);
  const text = JSON.stringify(lines);
  for (const secret of ["hidden", session.key, "private text"]) expect(text).not.toContain(secret);
});

it("logs no line per request by default", async () => {
  const { lines, call } = await startLogged(false);
  await call(traced);
  expect(lines.filter(({ msg }) => msg === "request")).toEqual([]);
});
