import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine } from "../../src/engine/index.js";
import { observeEventLoopDelay } from "../../src/server/metrics/event-loop-delay.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { hasPromtool, lintMetrics, namingProblems, readFamilies, readSample } from "../helpers/metrics-text.js";
import { readPage } from "../helpers/page.js";
import { Proxy } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { s3Environment } from "../helpers/seaweed.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { leasing, serve as serveController } from "../job/leases/leasing.js";

const USER = [{ role: "user", content: "hello" }];

async function scrape(proxy: Proxy<Engine>): Promise<string> {
  return (await proxy.request({ url: "/metrics" }, null)).raw.toString();
}

async function scrapeController(): Promise<string> {
  const { url } = await serveController(await leasing());
  return (await fetch(`${url}/metrics`)).text();
}

describe("the metrics of a server", () => {
  let engine: ScriptedEngine;
  let proxy: Proxy;
  beforeEach(async () => {
    engine = new ScriptedEngine();
    proxy = await Proxy.start({ engine });
  });
  afterEach(() => proxy.close());

  const sample = async (series: string) => readSample(await scrape(proxy), series);

  it("count cached prompt tokens separately; the directions of tokens add up to all tokens", async () => {
    engine.replies.push({ ids: [300, 301], cachedTokens: 5 });
    await proxy.chat(await proxy.session(), USER);
    const text = await scrape(proxy);
    const prompt = engine.calls[0]?.prompt.length;
    expect(text.match(/^rolltape_tokens_total.*$/gm)).toEqual([
      `rolltape_tokens_total{direction="prompt"} ${prompt}`,
      'rolltape_tokens_total{direction="completion"} 2',
    ]);
    expect(readSample(text, "rolltape_cached_prompt_tokens_total")).toBe(5);
  });

  it("have the limit of the token cache as a separate metric", async () => {
    await proxy.chat(await proxy.session(), USER);
    const text = await scrape(proxy);
    expect(readSample(text, "rolltape_token_cache_limit_bytes")).toBe(64 * 1024 * 1024);
    expect(readSample(text, "rolltape_token_cache_bytes")).toBeGreaterThan(0);
  });

  it("have the running and waiting calls of an engine in the same process", async () => {
    let waiting = 5;
    class BusyEngine extends ScriptedEngine {
      get load() {
        return { running: 2, waiting, maxRunning: 3 };
      }
    }
    const busy = await Proxy.start({ engine: new BusyEngine() });
    const inFlight = (text: string) => text.match(/^rolltape_engine_server_\w*inflight_requests\{.*$/gm);
    expect(inFlight(await scrape(busy))).toEqual([
      'rolltape_engine_server_inflight_requests{server="scripted",place="running"} 2',
      'rolltape_engine_server_inflight_requests{server="scripted",place="waiting"} 5',
      'rolltape_engine_server_max_inflight_requests{server="scripted"} 3',
    ]);
    waiting = 0;
    expect(inFlight(await scrape(busy))?.[1]).toMatch(/ 0$/);
    await busy.close();
  });

  it("have the running version as a label", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    const { node } = process.versions;
    expect(await sample(`rolltape_build_info{version="${version}",node_version="${node}"}`)).toBe(1);
  });

  it("measure the event loop's delay as a histogram", async () => {
    await expect.poll(() => sample("rolltape_event_loop_delay_seconds_count")).toBeGreaterThan(0);
  });

  it("wake an idle process for this a few times a second only", async () => {
    vi.useFakeTimers();
    try {
      const register = new Registry();
      const stop = observeEventLoopDelay(register);
      vi.advanceTimersByTime(60_000);
      stop();
      const count = /^rolltape_event_loop_delay_seconds_count (\d+)$/m.exec(await register.metrics())?.[1];
      expect(Number(count) / 60).toBeGreaterThanOrEqual(1);
      expect(Number(count) / 60).toBeLessThanOrEqual(5);
    } finally {
      vi.useRealTimers();
    }
  });

  describe("count HTTP requests", () => {
    const requests = (method: string, route: string, status: string) =>
      sample(`rolltape_http_requests_total{method="${method}",route="${route}",status="${status}"}`);

    it("by method, route and status, including refused ones", async () => {
      const session = await proxy.session();
      await proxy.chat(session, USER);
      await proxy.chat(session, []);
      await proxy.post("/rl/end_session", {}, "sk-unknown-0123456789");
      await expect.poll(() => requests("POST", "/v1/chat/completions", "200")).toBe(1);
      expect(await requests("POST", "/v1/chat/completions", "400")).toBe(1);
      expect(await requests("POST", "/rl/end_session", "401")).toBe(1);
      expect(await requests("POST", "/rl/start_session", "200")).toBe(1);
    });

    it("with one route for all sessions, and one for all unknown paths", async () => {
      for (const id of ["a", "b", "c"]) {
        await proxy.request({ url: `/rl/sessions/${id}` });
        await proxy.request({ url: `/${id}` });
      }
      await expect.poll(() => requests("GET", "/rl/sessions/:id", "404")).toBe(3);
      expect(await requests("GET", "unmatched", "404")).toBe(3);
    });

    it("with one value for all unknown methods", async () => {
      await proxy.app.listen({ host: "127.0.0.1", port: 0 });
      for (const method of ["PROPFIND", "LOCK"]) await fetch(`${proxy.app.listeningOrigin}/x`, { method });
      await expect.poll(() => requests("other", "unmatched", "404")).toBe(2);
    });

    it("with status none if the client disconnected before the answer", async () => {
      await proxy.app.listen({ host: "127.0.0.1", port: 0 });
      const session = await proxy.session();
      engine.hold();
      const controller = new AbortController();
      const call = fetch(`${proxy.app.listeningOrigin}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${session.key}`, "content-type": "application/json" },
        body: JSON.stringify({ messages: USER }),
        signal: controller.signal,
      });
      await expect.poll(() => engine.calls.length).toBe(1);
      controller.abort();
      await expect(call).rejects.toThrow("aborted");
      await expect.poll(() => requests("POST", "/v1/chat/completions", "none")).toBe(1);
    });
  });

  describe("count finished sessions", () => {
    const over = async (metric: string, outcome: string) => {
      const text = await scrape(proxy);
      return ["count", "sum"].map((part) => readSample(text, `${metric}_${part}{outcome="${outcome}",split="train"}`));
    };

    it("by their turns, once per session", async () => {
      const session = await proxy.session();
      await proxy.chat(session, USER);
      await proxy.chat(session, [{ role: "user", content: "another" }]);
      expect(await over("rolltape_session_turns", "ended")).toEqual([undefined, undefined]);
      await proxy.end(session);
      await proxy.end(session);
      await proxy.export(session);
      expect(await over("rolltape_session_turns", "ended")).toEqual([1, 2]);
      const [count, seconds] = await over("rolltape_session_duration_seconds", "ended");
      expect(count).toBe(1);
      expect(seconds).toBeGreaterThan(0);
    });

    it("by outcome, with separate values for deleted and expired ones", async () => {
      const [deleted, expired] = [await proxy.session(), await proxy.session()];
      await proxy.chat(deleted, USER);
      await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
      proxy.context.registry.get(expired.id).lastAccessAt -= 7_200_000;
      proxy.context.registry.sweep();
      expect(await over("rolltape_session_turns", "deleted")).toEqual([1, 1]);
      expect(await over("rolltape_session_turns", "expired")).toEqual([1, 0]);
      expect(await over("rolltape_session_turns", "ended")).toEqual([undefined, undefined]);
    });

    it("with the idle time of a deleted session", async () => {
      const { id } = await proxy.session();
      proxy.context.registry.get(id).lastAccessAt -= 7_200_000;
      await proxy.request({ method: "DELETE", url: `/rl/sessions/${id}` });
      const [count, seconds] = await over("rolltape_session_duration_seconds", "deleted");
      expect(count).toBe(1);
      expect(seconds).toBeGreaterThanOrEqual(0);
    });

    it("without the idle time of an expired session", async () => {
      await proxy.session();
      proxy.context.registry.sweep(Date.now() + 7_200_000);
      const [count, seconds] = await over("rolltape_session_duration_seconds", "expired");
      expect(count).toBe(1);
      expect(seconds).toBeLessThan(60);
    });
  });

  it("count rewards by scope, and a repeated one once", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.reward(session, 0.5);
    await proxy.reward(session, 0.5);
    await proxy.reward(session, -2);
    await proxy.post("/rl/set_reward", { reward: 1, scope: "session" }, session.key);
    const text = await scrape(proxy);
    const reward = (rest: string) => readSample(text, `rolltape_rewards_${rest}`);
    expect(reward('sum{scope="interaction",split="train"}')).toBe(-1.5);
    expect(reward('bucket{le="-1",scope="interaction",split="train"}')).toBe(1);
    expect(reward('bucket{le="+Inf",scope="interaction",split="train"}')).toBe(2);
    expect(reward('bucket{le="0.99",scope="session",split="train"}')).toBe(0);
    expect(reward('bucket{le="1",scope="session",split="train"}')).toBe(1);
    const bounds = [...text.matchAll(/^rolltape_rewards_bucket\{le="(\S+)",scope="session",split="train"\}/gm)].map(
      ([, le]) => le,
    );
    expect(bounds.map(Number)).toEqual([-10, -1, -0.5, -0.01, 0, 0.25, 0.5, 0.75, 0.99, 1, 10, 100, Number.NaN]);
  });
});

describe("the text of a scrape", () => {
  let servers: SglangServer[];
  let proxy: Proxy<Engine>;
  let directory: string;
  /** The text of a server after one session with every kind of event, and of a gateway with two workers. */
  let texts: { readonly server: string; readonly gateway: string };
  beforeEach(async () => {
    servers = [await startSglangServer(), await startSglangServer()];
    const engine = createSglangEngine({ urls: servers.map(({ url }) => url), timeoutSeconds: 0, maxInflight: 2 });
    directory = mkdtempSync(join(tmpdir(), "rolltape-metrics-"));
    // Nothing listens there, so uploads fail at once.
    for (const [name, value] of Object.entries(s3Environment(1))) vi.stubEnv(name, value);
    proxy = await Proxy.start({ engine, storage: { directory, archive: "s3://bucket" } });
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.reward(session, 1);
    await proxy.end(session);
    await proxy.export(session);
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    await gateway.conversation("hello", 1);
    await gateway.conversation("hello", 1);
    await gateway.get("/nowhere");
    const whole = async () => (await gateway.get("/metrics", null)).raw.toString();
    await vi.waitUntil(async () => (await whole()).includes('route="unmatched",status="404"'));
    texts = { server: await scrape(proxy), gateway: await whole() };
  });
  afterEach(async () => {
    await proxy.close();
    vi.unstubAllEnvs();
    await proxy.engine.close();
    for (const server of servers) await server.close();
    rmSync(directory, { recursive: true });
  });

  it.skipIf(!hasPromtool)("passes promtool check metrics, of servers and gateways", () => {
    expect(lintMetrics(texts.server)).toEqual([]);
    expect(lintMetrics(texts.gateway)).toEqual([]);
  });

  it("keeps Prometheus' naming rules, of servers and gateways", () => {
    expect(namingProblems(readFamilies(texts.server))).toEqual([]);
    expect(namingProblems(readFamilies(texts.gateway))).toEqual([]);
  });

  it("keeps Prometheus' naming rules, of controllers", async () => {
    expect(namingProblems(readFamilies(await scrapeController()))).toEqual([]);
  });

  it("has exactly the metrics of docs/reference/metrics.md, with their labels, types and descriptions", async () => {
    const documented = documentedMetrics();
    const scraped = [...Object.values(texts), await scrapeController()]
      .flatMap(readFamilies)
      .filter(({ name }) => name.startsWith("rolltape_"));
    for (const { name, type, help, labels } of scraped) {
      const row = documented.get(name);
      // A gateway adds the label `worker` to the samples of its workers.
      const undocumented = [...labels].filter((label) => label !== "worker" && !row?.labels.includes(label));
      expect({ name, type: row?.type, help: row?.help, undocumented }).toEqual({ name, type, help, undocumented: [] });
    }
    expect([...documented.keys()].sort()).toEqual([...new Set(scraped.map(({ name }) => name))].sort());
  });
});

/** Returns the rows of all tables of docs/reference/metrics.md by metric. */
function documentedMetrics(): Map<string, { type: string; labels: string[]; help: string }> {
  const rows = readPage("reference/metrics.md").matchAll(/^\| `(rolltape_\w+)` \| (\w+) \| (.*?) \| (.*) \|$/gm);
  return new Map(
    [...rows].map(([, name = "", type = "", labels = "", help = ""]) => {
      return [name, { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label), help }];
    }),
  );
}
