import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Proxy } from "../../helpers/proxy.js";
import { user } from "../../helpers/turn.js";
import { until } from "../../helpers/until.js";
import { answerJson, JUDGE, NO_UPSTREAM_LIMITS, startProxy, startUpstream, upstreamAt } from "./upstream.js";

/** Each session may make a limited number of calls to upstreams. */

const CHAT = "/v1/chat/completions";
const messages = [user("hello")];
const judge = { model: JUDGE, messages };

describe("a session", () => {
  it("may make max_upstream_calls calls, and then still those of the policy", async () => {
    const upstream = await startUpstream(answerJson({}));
    const proxy = await startProxy([upstreamAt(upstream.url)], { upstreamLimits: { ...NO_UPSTREAM_LIMITS, calls: 2 } });
    const session = await proxy.session();
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await proxy.post(CHAT, judge, session.key)).refusal);
    expect(statuses).toEqual(["200", "200", "403 session_limit"]);
    const { error } = await proxy.post(CHAT, judge, session.key);
    expect(error).toMatchObject({ limit: "max_upstream_calls", allowed: 2, used: 2 });
    expect(upstream.requests).toHaveLength(2);
    expect((await proxy.post(CHAT, { messages }, session.key)).status).toBe(200);
    const other = await proxy.session();
    expect((await proxy.post(CHAT, judge, other.key)).status).toBe(200);
  });

  it("keeps its count across a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-upstreams-"));
    const upstream = await startUpstream(answerJson({}));
    const settings = { upstreams: [upstreamAt(upstream.url)], upstreamLimits: { ...NO_UPSTREAM_LIMITS, calls: 1 } };
    const start = () => Proxy.start({ settings, storage: { directory } });
    const first = await start();
    const session = await first.session();
    expect((await first.post(CHAT, judge, session.key)).status).toBe(200);
    await first.close();
    const proxy = await start();
    expect((await proxy.post(CHAT, judge, session.key)).refusal).toBe("403 session_limit");
    await proxy.close();
    rmSync(directory, { recursive: true });
  });

  it("may have a limited number of them in flight", async () => {
    const waiting: (() => void)[] = [];
    const upstream = await startUpstream(async (request, response) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answerJson({})(request, response);
    });
    const limits = { ...NO_UPSTREAM_LIMITS, concurrentCalls: 1 };
    const proxy = await startProxy([upstreamAt(upstream.url)], { upstreamLimits: limits });
    const session = await proxy.session();
    const first = proxy.post(CHAT, judge, session.key);
    await until(() => waiting.length === 1);
    const second = await proxy.post(CHAT, judge, session.key);
    expect([second.refusal, second.headers["retry-after"]]).toEqual(["429 too_many_calls", "1"]);
    expect(second.error).toMatchObject({ limit: "max_concurrent_upstream_calls", allowed: 1, used: 1 });
    expect((await proxy.post(CHAT, { messages }, session.key)).status).toBe(200);
    waiting[0]?.();
    expect((await first).status).toBe(200);
    const third = proxy.post(CHAT, judge, session.key);
    await until(() => waiting.length === 2);
    waiting[1]?.();
    expect((await third).status).toBe(200);
  });

  it("does not count its calls to upstreams in flight as recorded calls", async () => {
    const waiting: (() => void)[] = [];
    const upstream = await startUpstream(async (request, response) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answerJson({})(request, response);
    });
    const unlimited = Number.POSITIVE_INFINITY;
    const sessionLimits = { tokens: unlimited, bytes: unlimited, calls: 1, concurrentCalls: 2 };
    const proxy = await startProxy([upstreamAt(upstream.url)], { sessionLimits });
    const session = await proxy.session();
    const call = proxy.post(CHAT, judge, session.key);
    await until(() => waiting.length === 1);
    expect((await proxy.post(CHAT, { messages }, session.key)).status).toBe(200);
    waiting[0]?.();
    expect((await call).status).toBe(200);
    expect(proxy.context.store.bytes).toBeGreaterThan(0);
  });
});

describe("the list of models", () => {
  const rules = [
    { models: ["o1"], refuse: true as const },
    upstreamAt("http://127.0.0.1:1", { models: [JUDGE, "gpt-4o-*", "o1", "tiny"] }),
  ];

  it("has the names that upstreams answer, after the served model", async () => {
    const proxy = await startProxy(rules);
    const { key } = await proxy.session();
    const openai = (await proxy.request({ url: "/v1/models" }, key)).json<{ data: object[] }>();
    expect(openai.data).toMatchObject([
      { id: "tiny", owned_by: "rolltape", max_model_len: expect.any(Number) as number },
      { id: JUDGE, owned_by: "upstream" },
    ]);
    expect(openai.data[1]).not.toHaveProperty("max_model_len");
    const headers = { "anthropic-version": "2023-06-01" };
    const anthropic = (await proxy.request({ url: "/v1/models", headers }, key)).json();
    expect(anthropic).toMatchObject({
      first_id: "tiny",
      last_id: JUDGE,
      data: [{ id: "tiny" }, { id: JUDGE, max_input_tokens: null }],
    });
  });

  it.each([
    [JUDGE, JUDGE],
    ["gpt-4o-mini", "gpt-4o-mini"],
    ["o1", "tiny"],
    ["other/name", "tiny"],
  ])("describes %s as %s", async (name, id) => {
    const proxy = await startProxy(rules);
    expect((await proxy.request({ url: `/v1/models/${name}` })).json()).toMatchObject({ id });
  });
});
