import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerWorker } from "../../src/admin-api/worker-registration.js";
import { temporaryFolder } from "../cli/rolltape.js";
import { until } from "../helpers/until.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

describe("a gateway over two workers", () => {
  it("forwards every call to the worker of its key", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const sessions = [];
    for (let index = 0; index < 6; index++) sessions.push(await gateway.session({ task_id: "a-b" }));
    for (const { key } of sessions) expect((await gateway.chat(key, "hello")).status).toBe(200);
    const placed = sessions.map(({ id }) => readWorkerTag(id));
    expect(placed.filter((tag) => tag === "one")).toHaveLength(3);
    expect(placed.filter((tag) => tag === "two")).toHaveLength(3);
    expect(workers.map(({ proxy }) => proxy.engine.calls.length)).toEqual([3, 3]);
    for (const { id, key } of sessions) {
      expect(key).toMatch(new RegExp(`^sk-${readWorkerTag(id)}\\.`));
      expect((await gateway.post("/rl/set_reward", { reward: 0.5 }, key)).status).toBe(200);
      expect((await gateway.post("/rl/end_session", {}, key)).json()).toEqual({ session_id: id, interaction_count: 1 });
      expect((await gateway.get(`/rl/sessions/${id}`)).json()).toMatchObject({ session_id: id, state: "ended" });
    }
  });

  it("returns a worker's response unchanged, including errors", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { id, key } = await gateway.session();
    expect((await gateway.chat(`${key}x`, "hello")).refusal).toBe("401 invalid_api_key");
    expect((await gateway.chat("sk-0123456789abcdef", "hello")).refusal).toBe("401 invalid_api_key");
    expect((await gateway.post("/v1/chat/completions", {}, null)).refusal).toBe("401 missing_api_key");
    expect((await gateway.post("/v1/chat/completions", {})).refusal).toBe("403 wrong_key_kind");
    expect((await gateway.post("/grant_capacity", {}, key)).refusal).toBe("403 wrong_key_kind");
    expect((await gateway.post("/grant_capacity", { slots: 0 })).refusal).toBe("400 invalid_value");
    expect((await gateway.post("/rl/start_session", {}, key)).refusal).toBe("403 wrong_key_kind");
    expect((await gateway.post("/rl/start_session")).refusal).toBe("429 no_capacity");
    expect((await gateway.post("/export_trajectories", { session_id: id })).refusal).toBe("409 session_active");
    expect((await gateway.post("/export_trajectories", { session_id: "task-0" })).refusal).toBe(
      "404 session_not_found",
    );
    expect((await gateway.get("/nowhere")).refusal).toBe("404 not_found");
    expect((await gateway.get("/v1/models")).status).toBe(200);
  });

  it("finds the worker of a key that is sent beside a key for another service", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const sessions = [await gateway.session(), await gateway.session()];
    for (const bearer of ["sk-ant-oat-of-another-service", "sk-three.0123456789abcdef"]) {
      for (const { key } of sessions) {
        const headers = { authorization: `Bearer ${bearer}`, "x-api-key": key };
        expect((await gateway.send("/v1/models/tiny", { headers }, null)).status).toBe(200);
      }
    }
  });

  it("pages through the sessions of all workers with has_more", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const started: string[] = [];
    for (let n = 0; n < 7; n++) started.push((await gateway.session()).id);
    const seen: string[] = [];
    const pages: boolean[] = [];
    for (let after = ""; pages.at(-1) !== false; ) {
      const reply = await gateway.get(`/rl/sessions?limit=3${after}`);
      const { sessions, has_more, next } = reply.json<{
        sessions: { session_id: string }[];
        has_more: boolean;
        next: string | null;
      }>();
      seen.push(...sessions.map(({ session_id }) => session_id));
      pages.push(has_more);
      after = `&after=${encodeURIComponent(next ?? "")}`;
    }
    expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual(started.toSorted((a, b) => a.localeCompare(b)));
    expect(pages).toEqual([true, true, false]);
  });

  it("returns errors in Anthropic's shape for calls of Anthropic's API", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { key } = await gateway.session();
    await worker.kill();
    const reply = await gateway.post("/v1/messages", { max_tokens: 5, messages: [] }, key);
    expect([reply.status, reply.json()]).toMatchObject([503, { type: "error", error: { code: "worker_unavailable" } }]);
  });

  it("returns 503 for the sessions of a dead worker, and serves the others", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: [one.url, two.url] });
    const sessions = [await gateway.session(), await gateway.session()];
    const [lost, left] = [
      sessions.find(({ id }) => readWorkerTag(id) === "one"),
      sessions.find(({ id }) => readWorkerTag(id) === "two"),
    ];
    await one.kill();
    expect((await gateway.chat(lost?.key ?? "", "hello")).refusal).toBe("503 worker_unavailable");
    expect((await gateway.chat(left?.key ?? "", "hello")).status).toBe(200);
    // The other worker gets its share of new slots.
    expect((await gateway.post("/grant_capacity", { slots: 4 })).json()).toEqual({ capacity: 4 });
    for (let index = 0; index < 4; index++) {
      const started = await gateway.post("/rl/start_session");
      expect(readWorkerTag(started.json<{ session_id: string }>().session_id)).toBe("two");
    }
    expect((await gateway.post("/rl/start_session")).refusal).toBe("429 no_capacity");
  });

  it("accepts a key of the client's choice only if it names a worker", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    await gateway.post("/grant_capacity", { slots: 8 });
    const start = (api_key: string) => gateway.post("/rl/start_session", { api_key });
    const chosen = "sk-two.a-key-of-my-own-choice";
    const started = (await start(chosen)).json<{ session_id: string; session_api_key: string }>();
    expect([readWorkerTag(started.session_id), started.session_api_key]).toEqual(["two", chosen]);
    expect((await gateway.chat(chosen, "hello")).status).toBe(200);
    expect((await start(chosen)).refusal).toBe("409 api_key_in_use");
    for (const key of ["a-key-of-my-own-choice", "sk-three.a-key-of-my-own-choice", "sk-two-a-key-of-my-own-choice"]) {
      const refused = await start(key);
      expect([refused.refusal, refused.error.param]).toEqual(["400 invalid_value", "api_key"]);
    }
    const message = (await start("sk-three.a-key-of-my-own-choice")).error.message;
    expect(message).toMatch(/^`api_key` must be `sk-<tag>\.` .*; received the tag three, which no worker has\.$/);
    // A worker refuses a key with another worker's tag: no gateway would find the session.
    const direct = await workers[0]?.proxy.post("/rl/start_session", { api_key: "sk-two.another-key-of-mine" });
    expect(direct?.refusal).toBe("400 invalid_value");
  });

  it("spreads new slots so that all workers have the same load", async () => {
    const workers = [await startWorker("one"), await startWorker("two"), await startWorker("three")];
    for (let index = 0; index < 4; index++) await workers[0]?.proxy.session();
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    expect((await gateway.post("/grant_capacity", { slots: 6 })).json()).toEqual({ capacity: 6 });
    expect(workers.map(({ proxy }) => proxy.context.registry.capacity)).toEqual([0, 3, 3]);
  });

  it("sets the weight version on all workers", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    expect((await gateway.post("/rl/set_version", { version: 3 })).json()).toEqual({ version: 3 });
    expect(workers.map(({ proxy }) => proxy.context.weightVersion.version)).toEqual([3, 3]);
    expect((await gateway.post("/rl/set_version", { version: -1 })).refusal).toBe("400 invalid_value");
    await workers[1]?.kill();
    expect((await gateway.post("/rl/set_version", { version: 4 })).refusal).toBe("503 worker_unavailable");
  });

  it("reports the processes that its command started in its health, also if no worker is ready", async () => {
    const processes = [
      { name: "worker-0", status: "failed", restarts: 5, tag: "one", ended: "SIGSEGV" },
      { name: "worker-1", status: "starting", restarts: 0 },
    ] as const;
    const gateway = await Gateway.start({}, 60, undefined, undefined, { processes: () => processes });
    const health = await gateway.get("/health", null);
    expect({ status: health.status, body: health.json() }).toMatchObject({ status: 503, body: { processes } });
    const other = await Gateway.start({});
    expect(Object.keys((await other.get("/health", null)).json<object>())).toEqual(["status", "workers"]);
  });

  it("returns the sessions, metrics and health of all workers", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const ids = [];
    for (let index = 0; index < 4; index++) ids.push((await gateway.session()).id);
    const listed = (await gateway.get("/rl/sessions")).json<{ sessions: { session_id: string }[] }>();
    expect(listed.sessions.map(({ session_id }) => session_id).sort()).toEqual(ids.sort());
    const some = (await gateway.get("/rl/sessions?limit=3")).json<{ sessions: object[] }>();
    expect(some.sessions).toHaveLength(3);
    const metrics = (await gateway.get("/metrics", null)).raw.toString();
    expect(metrics).toContain('rolltape_sessions{worker="one",state="active"} 2');
    expect(metrics).toContain('rolltape_sessions{worker="two",state="active"} 2');
    expect(metrics.match(/# TYPE rolltape_sessions gauge/g)).toHaveLength(1);
    await gateway.pool.refresh();
    expect((await gateway.get("/health", null)).json()).toMatchObject({
      status: "ok",
      workers: [{ sessions: 2 }, { sessions: 2 }],
    });
    await workers[0]?.kill();
    await gateway.pool.refresh();
    expect((await gateway.get("/metrics", null)).raw.toString()).toContain('rolltape_worker_up{worker="one"} 0');
    expect((await gateway.get("/rl/sessions")).json()).toMatchObject({ unavailable_workers: ["one"] });
    await workers[1]?.kill();
    await gateway.pool.refresh();
    expect((await gateway.get("/health", null)).status).toBe(503);
    expect((await gateway.get("/v1/models")).refusal).toBe("503 worker_unavailable");
    expect((await gateway.post("/rl/start_session")).refusal).toBe("503 worker_unavailable");
  });
});

describe("responses in progress", () => {
  it("are streamed without buffering", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { key } = await gateway.session();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    worker.proxy.engine.replies.push({
      ids: [300, 301, 302, 303],
      perFrame: 2,
      beforeFrame: (frame) => (frame === 1 ? held : undefined),
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "hello" }] }),
    });
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain("data:");
    release();
    let rest = "";
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      rest += Buffer.from(next.value).toString();
    }
    expect(rest).toContain("[DONE]");
  });

  it.each([false, true])("are aborted when their client disconnects (stream: %s)", async (stream) => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { key } = await gateway.session();
    worker.proxy.engine.hold();
    const leave = new AbortController();
    const call = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ stream, messages: [{ role: "user", content: "hello" }] }),
      signal: leave.signal,
    });
    const left = call.then(
      () => "answered",
      () => "left",
    );
    await until(() => worker.proxy.engine.calls.length === 1);
    leave.abort();
    expect(await left).toBe("left");
    await until(() => worker.proxy.engine.aborted.length === 1);
    expect(gateway.pool.living()).toHaveLength(1);
  });

  it("end with a connection error when their worker dies", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { key } = await gateway.session();
    worker.proxy.engine.replies.push({
      ids: [300, 301, 302, 303],
      perFrame: 2,
      beforeFrame: (frame) => (frame === 1 ? new Promise(() => {}) : undefined),
    });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ stream: true, messages: [{ role: "user", content: "hello" }] }),
    });
    const reader = answer.body?.getReader();
    await reader?.read();
    worker.proxy.app.server.closeAllConnections();
    const toTheEnd = async () => {
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read());
    };
    await expect(toTheEnd()).rejects.toThrow("terminated");
  });
});

describe("the list of workers", () => {
  it("follows changes of the folder without calls", async () => {
    const [one, two] = [await startWorker("one"), await startWorker("two")];
    const folder = temporaryFolder();
    const leave = registerWorker(folder, { url: one.url, tag: "one" });
    writeFileSync(join(folder, "other.json"), "nonsense");
    const gateway = await Gateway.start({ folder }, 0.05);
    expect(gateway.pool.living().map(({ tag }) => tag)).toEqual(["one"]);
    expect(gateway.problems.join()).toContain("other.json");
    leave();
    registerWorker(folder, { url: two.url, tag: "two" });
    await until(() => gateway.pool.living().some(({ tag }) => tag === "two"));
    expect(gateway.pool.all().map(({ tag }) => tag)).toEqual(["two"]);
  });

  it("follows the folder in which workers register, and finds a new worker immediately", async () => {
    const folder = temporaryFolder();
    const gateway = await Gateway.start({ folder: join(folder, "not-yet") });
    expect((await gateway.post("/grant_capacity")).refusal).toBe("503 worker_unavailable");
    const worker = await startWorker("one");
    const leave = registerWorker(join(folder, "not-yet"), { url: worker.url, tag: "one" });
    const { key } = await worker.proxy.session();
    expect((await gateway.chat(key, "hello")).status).toBe(200);
    leave();
    await gateway.pool.refresh();
    expect((await gateway.chat(key, "hello")).refusal).toBe("503 worker_unavailable");
  });

  it("treats a server that restarts at the same address as another worker", async () => {
    const first = await startWorker("one");
    const port = Number(new URL(first.url).port);
    const gateway = await Gateway.start({ urls: [first.url] });
    const { key } = await gateway.session();
    await first.kill();
    await startWorker("two", { port });
    await gateway.pool.refresh();
    expect(gateway.pool.all().map(({ tag }) => tag)).toEqual(["two"]);
    expect((await gateway.chat(key, "hello")).refusal).toBe("503 worker_unavailable");
    expect(readWorkerTag((await gateway.session()).id)).toBe("two");
  });

  it("reports workers that it cannot use", async () => {
    const [one, same] = [await startWorker("one"), await startWorker("one")];
    const gateway = await Gateway.start({ urls: [one.url, same.url] });
    expect(gateway.problems.join()).toContain("the same tag one");
    expect(gateway.pool.all()).toHaveLength(1);
  });
});
