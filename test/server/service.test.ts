import { readFileSync } from "node:fs";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { CATALOGUE } from "../../src/http/errors.js";
import { drain } from "../../src/server/drain.js";
import { Proxy } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

describe.each(["/readyz", "/health"])("GET %s", (url) => {
  it("answers ok while the engine is healthy", async () => {
    expect((await proxy.request({ url }, null)).json()).toEqual({ status: "ok" });
  });

  it("answers 503 with the reason if the engine is not healthy", async () => {
    proxy.engine.healthError = new EngineError("engine_unavailable", "connection refused");
    const reply = await proxy.request({ url }, null);
    expect([reply.status, reply.json()]).toEqual([
      503,
      { status: "engine_unavailable", message: "connection refused" },
    ]);
  });

  it("checks the engine only once for all probes within a second", async () => {
    const check = vi.spyOn(proxy.engine, "health");
    await Promise.all(Array.from({ length: 20 }, () => proxy.request({ url }, null)));
    expect(check).toHaveBeenCalledTimes(1);
  });

  it("checks the engine again after a second", async () => {
    const clock = vi.spyOn(performance, "now");
    onTestFinished(() => clock.mockRestore());
    clock.mockReturnValue(1000);
    expect((await proxy.request({ url }, null)).status).toBe(200);
    proxy.engine.healthError = new EngineError("engine_unavailable", "connection refused");
    clock.mockReturnValue(1999);
    expect((await proxy.request({ url }, null)).status).toBe(200);
    clock.mockReturnValue(2000);
    expect((await proxy.request({ url }, null)).status).toBe(503);
  });
});

describe("GET /livez", () => {
  it("answers ok even if the engine is not healthy", async () => {
    proxy.engine.healthError = new EngineError("engine_unavailable", "connection refused");
    const reply = await proxy.request({ url: "/livez" }, null);
    expect([reply.status, reply.json()]).toEqual([200, { status: "ok" }]);
  });
});

describe("a server with public_metrics: false", () => {
  it.each(["/metrics", "/openapi.json"])("answers %s with the admin key only", async (url) => {
    const closed = await Proxy.start({ settings: { publicMetrics: false } });
    onTestFinished(() => closed.close());
    const { key } = await closed.session();
    expect((await closed.request({ url }, null)).refusal).toBe("401 missing_api_key");
    expect((await closed.request({ url }, key)).refusal).toBe("403 wrong_key_kind");
    expect((await closed.request({ url })).status).toBe(200);
  });
});

describe("GET /metrics", () => {
  it("counts sessions, calls, tokens, engine time, exports and event-loop delay", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    proxy.engine.replies.push(new EngineError("engine_error", "broke"));
    await proxy.chat(session, USER);
    await proxy.end(session);
    const exported = await proxy.export(session);
    await proxy.session();
    const text = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
    const prompt = (proxy.engine.calls[0]?.prompt.length ?? 0).toString();
    for (const line of [
      'rolltape_sessions{state="exported"} 1',
      'rolltape_sessions{state="active"} 1',
      'rolltape_calls_total{api="chat.completions",outcome="recorded"} 1',
      'rolltape_calls_total{api="chat.completions",outcome="failed"} 1',
      `rolltape_tokens_total{direction="prompt"} ${prompt}`,
      'rolltape_tokens_total{direction="completion"} 3',
      "rolltape_engine_seconds_count 2",
      "rolltape_export_seconds_count 1",
      `rolltape_export_bytes_total ${exported.raw.length}`,
    ]) {
      expect(text.split("\n")).toContain(line);
    }
    expect(text).toMatch(/rolltape_token_cache_lookups_total\{result="hit"\} [1-9]/);
    expect(text).toMatch(/rolltape_token_cache_bytes [1-9]/);
    expect(text).toMatch(/rolltape_event_loop_delay_seconds_bucket\{le="0.01"\} \d/);
  });
});

describe("GET /openapi.json", () => {
  it("describes every route from its own schema", async () => {
    const { paths, openapi } = (await proxy.request({ url: "/openapi.json" }, null)).json<{
      openapi: string;
      paths: Record<string, object>;
    }>();
    expect(openapi).toMatch(/^3\.1/);
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        "/grant_capacity",
        "/rl/start_session",
        "/rl/set_reward",
        "/rl/end_session",
        "/rl/set_version",
        "/rl/sessions/{id}",
        "/v1/chat/completions",
        "/v1/models",
        "/export_trajectories",
        "/export_batch",
        "/health",
        "/metrics",
      ]),
    );
  });
});

describe("a server that shuts down", () => {
  it("refuses new calls with 503, completes calls in flight and exports ended sessions", async () => {
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const running = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    const drained = drain(proxy.context, pino({ level: "silent" }));
    expect((await proxy.chat(session, USER)).refusal).toBe("503 server_draining");
    expect((await proxy.post("/rl/start_session", {})).refusal).toBe("503 server_draining");
    expect((await proxy.request({ url: "/health" }, null)).json()).toEqual({ status: "draining" });
    release();
    expect((await running).status).toBe(200);
    await proxy.end(session);
    expect((await proxy.export(session)).status).toBe(200);
    await drained;
  });

  it("ends exports that wait for active sessions", async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { shutdownSeconds: 0.05 } });
    const session = await proxy.session();
    const waits = vi.spyOn(proxy.context.registry.get(session.id).lifecycle, "waitEnd");
    const waiting = proxy.export(session, { wait_seconds: 3600 });
    await until(() => waits.mock.calls.length > 0);
    await drain(proxy.context, pino({ level: "silent" }));
    expect((await waiting).refusal).toBe("409 session_active");
  });

  it("aborts calls that do not end in time", async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { shutdownSeconds: 0.05 } });
    const session = await proxy.session();
    proxy.engine.hold();
    const running = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    await drain(proxy.context, pino({ level: "silent" }));
    expect((await running).refusal).toBe("409 call_aborted");
  });
});

describe("docs/reference/errors.md", () => {
  it("has exactly one row per error code, with its status", () => {
    const text = readFileSync(new URL("../../docs/reference/errors.md", import.meta.url), "utf8");
    const documented = [...text.matchAll(/^\| `(\w+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    const expected = Object.entries(CATALOGUE).map(([code, [status]]) => [code, status]);
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected));
  });
});
