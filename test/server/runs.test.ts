import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { ADMIN_KEY, Proxy, type ProxyOptions, type Reply } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

/** Runs: one key for many sessions, which the header `X-Session-ID` names. */

const messages = [{ role: "user", content: "hello" }];

interface Run {
  readonly run_id: string;
  readonly run_api_key: string;
}

async function start(options: ProxyOptions<Proxy["engine"]> = {}, slots = 10): Promise<Proxy> {
  const proxy = await Proxy.start(options);
  onTestFinished(() => proxy.close());
  if (slots > 0) await proxy.post("/grant_capacity", { slots });
  return proxy;
}

const startRun = async (proxy: Proxy, body: object = {}) => (await proxy.post("/rl/start_run", body)).json<Run>();

/** Sends a call with the key of a run. */
const send = (proxy: Proxy, { run_api_key: key }: Run, name: string | undefined, url: string, payload: object = {}) =>
  proxy.request({ method: "POST", url, payload, headers: name === undefined ? {} : { "x-session-id": name } }, key);
const chat = (proxy: Proxy, run: Run, name?: string) => send(proxy, run, name, "/v1/chat/completions", { messages });

const sessionsOf = async (proxy: Proxy, { run_id }: Run) =>
  (await proxy.request({ url: `/rl/runs/${run_id}/sessions` })).json<{
    sessions: { session_id: string; x_session_id: string; state: string }[];
  }>().sessions;
const readSessions = ({ raw }: Reply) =>
  (JSON.parse(readSafetensors(raw).metadata["rows"] ?? "") as { session_id: string }[]).map((row) => row.session_id);

describe("a model call with a run key", () => {
  it("starts the session that X-Session-ID names, and continues it", async () => {
    const proxy = await start();
    const run = await startRun(proxy, {
      task_id: "math",
      group_id: "g",
      split: "eval",
      sampling_override: { top_k: 3 },
    });
    expect(run.run_id).toMatch(/^math-run-[0-9a-f]{18}$/);
    for (const name of ["a", "b", "a"]) expect((await chat(proxy, run, name)).refusal).toBe("200");
    const [first, second] = await sessionsOf(proxy, run);
    expect([first, second]).toMatchObject([
      { session_id: "math-0", x_session_id: "a", state: "active" },
      { session_id: "math-1", x_session_id: "b" },
    ]);
    const record = (await proxy.request({ url: `/rl/sessions/${first?.session_id}` })).json();
    expect(record).toMatchObject({
      task_id: "math",
      group_id: "g",
      split: "eval",
      sampling_override: { top_k: 3 },
      run_id: run.run_id,
      x_session_id: "a",
      interaction_count: 2,
    });
    expect(proxy.engine.calls[0]?.sampling.topK).toBe(3);
    expect(proxy.context.registry.capacity).toBe(8);
    expect((await proxy.request({ url: `/rl/sessions?run_id=${run.run_id}` })).json()).toMatchObject({
      sessions: [{ x_session_id: "a" }, { x_session_id: "b" }],
    });
  });

  it.each([
    ["/v1/responses", { input: "hello" }],
    ["/v1/messages", { messages, max_tokens: 9 }],
    ["/v1/messages/count_tokens", { messages }],
    ["/v1/completions", { prompt: [258, 259] }],
    ["/inference/v1/generate", { token_ids: [258, 259], sampling_params: {} }],
    ["/v1beta/models/tiny:generateContent", { contents: [{ role: "user", parts: [{ text: "hello" }] }] }],
  ])("to %s starts its session as well", async (path, body) => {
    const proxy = await start();
    const run = await startRun(proxy);
    expect((await send(proxy, run, "a", path, body)).status).toBe(200);
    expect(await sessionsOf(proxy, run)).toHaveLength(1);
  });

  it("has sessions of its own: the same name in another run is another session", async () => {
    const proxy = await start();
    const [one, two] = [await startRun(proxy), await startRun(proxy)];
    await chat(proxy, one, "a");
    await chat(proxy, two, "a");
    expect(await sessionsOf(proxy, one)).toHaveLength(1);
    expect((await sessionsOf(proxy, two))[0]?.session_id).toBe("task-1");
  });

  it("is refused without X-Session-ID, with a sentence that says what to send", async () => {
    const proxy = await start();
    const run = await startRun(proxy);
    for (const name of [undefined, ""]) {
      const { status, error } = await chat(proxy, run, name);
      expect([status, error.code, error.param]).toEqual([400, "missing_session_id", "X-Session-ID"]);
      expect(error.message).toContain("Send the same value with all calls of one session.");
    }
    expect((await proxy.request({ url: "/v1/models" }, run.run_api_key)).status).toBe(200);
    expect(proxy.context.registry.capacity).toBe(10);
  });

  it.each([["a b"], ["a".repeat(129)], ["é"], ["a, b"]])("is refused with the X-Session-ID %j", async (name) => {
    const proxy = await start();
    const { status, error } = await chat(proxy, await startRun(proxy), name);
    expect([status, error.code, error.param]).toEqual([400, "invalid_value", "X-Session-ID"]);
    expect(proxy.context.registry.capacity).toBe(10);
  });

  it("gets 429 no_capacity if no slot is free, and starts nothing", async () => {
    const proxy = await start({}, 1);
    const run = await startRun(proxy);
    await chat(proxy, run, "a");
    const refused = await chat(proxy, run, "b");
    expect([refused.refusal, refused.headers["retry-after"]]).toEqual(["429 no_capacity", "1"]);
    expect((await chat(proxy, run, "a")).status).toBe(200);
  });

  it("starts one session for a thousand concurrent first calls", async () => {
    const proxy = await start({}, 2000);
    const run = await startRun(proxy);
    const calls = Array.from({ length: 1000 }, () => chat(proxy, run, "a"));
    const replies = await Promise.all(calls);
    expect(new Set(replies.map(({ refusal }) => refusal))).not.toContain("409 session_ended");
    expect(await sessionsOf(proxy, run)).toHaveLength(1);
    expect(proxy.context.registry.capacity).toBe(1999);
    const [session] = await sessionsOf(proxy, run);
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    const { interactionCount } = proxy.context.registry.get(session?.session_id ?? "");
    expect(interactionCount).toBe(replies.filter(({ status }) => status === 200).length);
  });
});

describe("a run key", () => {
  it("rewards and ends its sessions by X-Session-ID, but starts none for that", async () => {
    const proxy = await start();
    const run = await startRun(proxy);
    for (const path of ["/rl/set_reward", "/rl/end_session"]) {
      expect((await send(proxy, run, "a", path, path.endsWith("reward") ? { reward: 1 } : {})).refusal).toBe(
        "404 session_not_found",
      );
    }
    await chat(proxy, run, "a");
    expect((await send(proxy, run, "a", "/rl/set_reward", { reward: 0.5 })).status).toBe(200);
    expect((await send(proxy, run, "a", "/rl/end_session")).json()).toMatchObject({ interaction_count: 1 });
    expect((await chat(proxy, run, "a")).refusal).toBe("409 session_ended");
    expect((await chat(proxy, run, "b")).status).toBe(200);
  });

  it("is refused for calls of the admin", async () => {
    const proxy = await start();
    const run = await startRun(proxy);
    for (const path of ["/grant_capacity", "/rl/start_run", "/rl/start_session", "/export_batch", "/rl/sessions/end"]) {
      const refused = await send(proxy, run, "a", path);
      expect([refused.refusal, refused.error.message]).toEqual([
        "403 wrong_key_kind",
        "This endpoint requires the admin key; received a run key.",
      ]);
    }
    expect((await proxy.post("/rl/start_run", {}, run.run_api_key)).refusal).toBe("403 wrong_key_kind");
  });

  it("is refused if a byte of it was changed, or if another server made it", async () => {
    const proxy = await start();
    const run = await startRun(proxy, { split: "train" });
    const [, payload = "", signature = ""] = /^rk-(.*)\.(.*)$/.exec(run.run_api_key) ?? [];
    const eval_ = Buffer.from(payload, "base64url").toString().replace("train", "evals");
    const other = await start({ settings: { adminKey: ADMIN_KEY } });
    const keys = [
      `rk-${Buffer.from(eval_).toString("base64url")}.${signature}`,
      `rk-${payload}.${"A".repeat(43)}`,
      `rk-.${signature}`,
    ];
    for (const run_api_key of keys)
      expect((await chat(proxy, { ...run, run_api_key }, "a")).refusal).toBe("401 invalid_api_key");
    // The same admin key: this is a worker of the same service.
    expect((await chat(other, run, "a")).status).toBe(200);
  });

  it("finds its sessions after a restart with storage, between the start and the first call as well", async () => {
    const storage = { directory: temporaryFolder() };
    const first = await Proxy.start({ storage });
    await first.post("/grant_capacity", { slots: 5 });
    const run = await startRun(first);
    await first.close();
    const second = await Proxy.start({ storage });
    await chat(second, run, "a");
    await second.close();
    const third = await start({ storage }, 0);
    await chat(third, run, "a");
    const sessions = await sessionsOf(third, run);
    expect(sessions).toHaveLength(1);
    expect(third.context.registry.get(sessions[0]?.session_id ?? "").interactionCount).toBe(2);
    expect(third.context.registry.capacity).toBe(4);
  });

  it("is in no log and no metric", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const proxy = await start({ logger, settings: { accessLog: true } });
    const run = await startRun(proxy);
    await chat(proxy, run, "a");
    await chat(proxy, run);
    await send(proxy, run, "a", `/s/${run.run_api_key}/v1/chat/completions`, { messages });
    const metrics = (await proxy.request({ url: "/metrics" })).raw.toString();
    for (const text of [metrics, lines.join("")]) expect(text).not.toContain(run.run_api_key);
  });

  it("may be in the path", async () => {
    const proxy = await start();
    const run = await startRun(proxy);
    const options = {
      method: "POST",
      url: `/s/${run.run_api_key}/v1/chat/completions`,
      payload: { messages },
    } as const;
    expect((await proxy.request({ ...options, headers: { "x-session-id": "a" } }, null)).status).toBe(200);
    expect(await sessionsOf(proxy, run)).toHaveLength(1);
  });
});

describe("/rl/current_session", () => {
  it("returns the session of a key; POST starts that of a run", async () => {
    const proxy = await start();
    const run = await startRun(proxy);
    const get = (name: string) =>
      proxy.request({ url: "/rl/current_session", headers: { "x-session-id": name } }, run.run_api_key);
    expect((await get("a")).refusal).toBe("404 session_not_found");
    const started = (await send(proxy, run, "a", "/rl/current_session")).json();
    expect(started).toEqual({ session_id: "task-0", run_id: run.run_id, x_session_id: "a" });
    expect((await get("a")).json()).toEqual(started);
    const session = await proxy.session();
    expect((await proxy.request({ url: "/rl/current_session" }, session.key)).json()).toEqual({
      session_id: session.id,
      run_id: null,
      x_session_id: null,
    });
  });
});

describe("an export with run_id", () => {
  async function recorded() {
    const proxy = await start();
    const run = await startRun(proxy);
    for (const name of ["a", "b", "c"]) await chat(proxy, run, name);
    return { proxy, run, export: (body: object) => proxy.post("/export_batch", { run_id: run.run_id, ...body }) };
  }

  it("has all sessions of the run, and waits for their end", async () => {
    const { proxy, run, export: exportRun } = await recorded();
    expect((await exportRun({})).refusal).toBe("409 session_active");
    const waiting = exportRun({ wait_seconds: 60 });
    await proxy.post("/rl/sessions/end", { run_ids: [run.run_id] });
    const exported = await waiting;
    expect(readSessions(exported)).toEqual(["task-0", "task-1", "task-2"]);
    // An answer that was lost is the same when it is asked for again.
    expect((await exportRun({})).raw.equals(exported.raw)).toBe(true);
    expect((await proxy.post("/export_sessions", { run_id: run.run_id })).status).toBe(200);
  });

  it("has chosen sessions in the order of x_session_ids", async () => {
    const { proxy, run, export: exportRun } = await recorded();
    for (const name of ["a", "c"]) await send(proxy, run, name, "/rl/end_session");
    expect(readSessions(await exportRun({ x_session_ids: ["c", "a"] }))).toEqual(["task-2", "task-0"]);
    expect((await exportRun({ x_session_ids: ["a", "nobody"] })).refusal).toBe("404 session_not_found");
    expect((await exportRun({ x_session_ids: ["a", "a"] })).refusal).toBe("400 invalid_value");
  });

  it("leaves out sessions whose export was acknowledged", async () => {
    const { proxy, run, export: exportRun } = await recorded();
    for (const name of ["a", "b", "c"]) await send(proxy, run, name, "/rl/end_session");
    const held = await exportRun({ x_session_ids: ["a"], acknowledge: true });
    await proxy.request({ method: "DELETE", url: `/export_batch/${String(held.headers["x-rolltape-export-id"])}` });
    expect(readSessions(await exportRun({}))).toEqual(["task-1", "task-2"]);
  });

  it.each([
    [{ run_id: "r", session_ids: ["a"] }, "run_id"],
    [{ session_ids: ["a"], x_session_ids: ["a"] }, "x_session_ids"],
    [{}, "session_ids"],
  ])("is refused with %j", async (body, param) => {
    const { status, error } = await (await start()).post("/export_batch", body);
    expect([status, error.code, error.param]).toEqual([400, "invalid_value", param]);
  });

  it("is refused if the run has no session", async () => {
    const proxy = await start();
    expect((await proxy.post("/export_batch", { run_id: "r" })).refusal).toBe("404 session_not_found");
  });
});
