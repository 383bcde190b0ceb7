import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { describe, expect, it } from "vitest";
import { WorkerList } from "../../../src/job/leases/worker-list.js";
import { SessionRemover } from "../../../src/job/session-remover.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import { createDeferred } from "../../../src/support/async/deferred.js";
import { captureLog } from "../../helpers/captured-log.js";
import { settled } from "../held-workflow.js";
import { ADMIN_KEY, gatedDatabase, type LeasingOptions, leasing, reportOf, serve } from "./leasing.js";
import { pausedClock } from "./paused-clock.js";

async function served(options: LeasingOptions = {}, server: object = {}, logger?: Logger) {
  const leased = await leasing(options);
  const running = await serve(leased, { server, ...(logger && { logger }) });
  const { url } = running;
  const call = async (path: string, body?: object, key: string | null = ADMIN_KEY) => {
    const headers = { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
    const reply = await fetch(url + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
    const text = await reply.text();
    return { status: reply.status, text, json: (text.startsWith("{") ? JSON.parse(text) : {}) as never };
  };
  return { ...leased, url, call, running };
}

describe("the end of a job", () => {
  it("waits for a worker that is between two calls, and tells it", async () => {
    const { call, running } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    const closed = running.close();
    // As long as a worker pauses after a call that was not answered.
    await sleep(1500);
    const answer = await call("/rollout/leases", { worker_id: "w", count: 1, held: [] });
    expect(answer.json).toEqual({ state: "done", leases: [] });
    await closed;
  });

  it("is not told to workers if its state was lost: another controller may go on with it", async () => {
    const database = new SqliteDatabase();
    const { call, running, store } = await served({ database });
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    const waiting = call("/rollout/leases", { worker_id: "w", count: 1, held: [] });
    await sleep(100);
    await database[Symbol.asyncDispose]();
    await expect(store.readCounts()).rejects.toBeInstanceOf(Error);
    const closed = running.close();
    expect((await waiting).status).toBe(500);
    await closed;
  });

  it("waits for a worker from before a restart, which has not registered yet", async () => {
    const workers = new WorkerList();
    expect(workers.hasAlive(40)).toBe(false);
    workers.expect("w");
    expect(workers.hasAlive(40)).toBe(true);
    workers.add("w", "first");
    workers.remove("w");
    expect(workers.hasAlive(40)).toBe(false);
  });
});

describe("the controller's calls", () => {
  it("run a task from its lease to its report", async () => {
    const { call, run } = await served();
    const registered = await call("/rollout/workers", { worker_id: "w", name: "first" });
    expect(registered).toMatchObject({
      status: 200,
      json: { job_id: "job-1", lease_seconds: 600, workflow: { group_size: 1, timeout_seconds: null } },
    });
    const ended = run(0);
    const answer = await call("/rollout/leases", { worker_id: "w", count: 2, held: [] });
    const { leases } = answer.json as { leases: Parameters<typeof reportOf>[0][] };
    expect(leases).toMatchObject([{ task: 0, attempt: 1, task_id: "task-0", data: { number: 0 } }]);
    const [lease] = leases;
    if (!lease) throw new Error("no lease");
    const { lease_id } = lease;
    const announced = await call("/rollout/sessions", { sessions: [{ lease_id, session_id: "s" }] });
    expect(announced.json).toEqual({ lost: [] });
    const beat = await call("/rollout/heartbeats", { worker_id: "w", lease_ids: [lease_id, "unknown"] });
    expect(beat.json).toEqual({ lost: ["unknown"] });
    const status = await call("/rollout/status");
    expect(status.json).toMatchObject({
      job_id: "job-1",
      state: "running",
      version: 0,
      tasks: { submitted: 1, waiting: 0, queued: 0, leased: 1, accepted: 0, rejected: 0 },
      workers: [{ name: "first", worker_id: "w", leases: 1 }],
    });
    expect(announced.status).toBe(200);
    const report = reportOf(lease, "s");
    for (let i = 0; i < 2; i++)
      expect((await call("/rollout/reports", { reports: [report] })).json).toEqual({ refused: [] });
    expect((await ended).accepted).toMatchObject([{ sessionId: "s" }]);
  });

  it("take sessions, reports and the wish for tasks together", async () => {
    const { call, run } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    const ended = run(0);
    const started = await call("/rollout/updates", { worker_id: "w", max_held: 2 });
    expect(started.json).toMatchObject({ lost: [], refused: [], leases: [{ task: 0, attempt: 1 }] });
    const [lease] = (started.json as { leases: Parameters<typeof reportOf>[0][] }).leases;
    if (!lease) throw new Error("no lease");
    const body = {
      worker_id: "w",
      sessions: [{ lease_id: lease.lease_id, session_id: "s" }],
      reports: [reportOf(lease, "s")],
    };
    const nothing = { lost: [], refused: [], leases: [] };
    expect((await call("/rollout/updates", body)).json).toEqual(nothing);
    expect((await ended).accepted).toMatchObject([{ sessionId: "s" }]);
    // Sent again, its report counts again, but the lease has ended.
    const again = await call("/rollout/updates", { ...body, held: [] });
    expect(again.json).toEqual({ ...nothing, lost: [lease.lease_id] });
  });

  it("give no tasks to a worker that updates before it has registered", async () => {
    const { call, run, counts } = await served();
    void run(0);
    expect((await call("/rollout/updates", { worker_id: "w", max_held: 1 })).json).toMatchObject({ leases: [] });
    expect((await counts()).queued).toBe(1);
  });

  it("accept a worker that holds thousands of leases with results the controller has not answered", async () => {
    const { call } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    const body = { worker_id: "w", count: 4096, max_held: 20_000, wait_seconds: 0 };
    expect(await call("/rollout/leases", body)).toMatchObject({ status: 200, json: { state: "running", leases: [] } });
  });

  it("require the admin key, except for probes and metrics", async () => {
    const { call } = await served();
    for (const path of ["/rollout/workers", "/rollout/leases", "/rollout/reports", "/rollout/heartbeats"]) {
      expect(await call(path, {}, null)).toMatchObject({ status: 401, json: { error: { code: "missing_api_key" } } });
      expect(await call(path, {}, "sk-another-key-of-nobody")).toMatchObject({
        json: { error: { code: "invalid_api_key" } },
      });
    }
    expect(await call("/rollout/status", undefined, null)).toMatchObject({ status: 401 });
    expect(await call("/health", undefined, null)).toMatchObject({ status: 200, json: { status: "ok" } });
    const metrics = await call("/metrics", undefined, null);
    expect(metrics.text).toContain('rolltape_controller_tasks{state="leased"} 0');
    expect(metrics.text).toContain("rolltape_controller_lost_attempts_total 0");
  });

  it.each([
    ["/rollout/leases", { worker_id: "w", count: 0, held: [] }, "count"],
    ["/rollout/leases", { worker_id: "w", count: 1, held: [], wait_seconds: 61 }, "wait_seconds"],
    ["/rollout/heartbeats", { worker_id: "w", lease_ids: [1] }, "lease_ids[0]"],
    ["/rollout/reports", { reports: [] }, "reports"],
    ["/rollout/updates", { worker_id: "w", max_held: 0 }, "max_held"],
    ["/rollout/updates", { worker_id: "w", reports: [{ lease_id: "l" }] }, "reports[0].task"],
    ["/rollout/sessions", { sessions: [{ lease_id: "l" }] }, "sessions[0].session_id"],
  ])("refuse a wrong body of %s, naming the field", async (path, body, param) => {
    const { call } = await served();
    expect(await call(path, body)).toMatchObject({ status: 400, json: { error: { code: "invalid_value", param } } });
  });

  it("refuse unknown fields", async () => {
    const { call } = await served();
    const reply = await call("/rollout/workers", { worker_id: "w", name: "n", nmae: "m" });
    expect(reply).toMatchObject({ status: 400, json: { error: { code: "unknown_parameter" } } });
  });

  it("ask a worker that this process does not know to register", async () => {
    const { call } = await served();
    expect(await call("/rollout/leases", { worker_id: "w", count: 1, held: [] })).toMatchObject({
      status: 404,
      json: { error: { code: "rollout_worker_not_found", param: "worker_id" } },
    });
  });

  it("refuse a worker that registers under the name of one that lives, and take the leases of one that it replaces", async () => {
    const { call, run, lease, counts } = await served();
    await call("/rollout/workers", { worker_id: "old", name: "same" });
    void run(0);
    await lease("old");
    expect(await call("/rollout/workers", { worker_id: "new", name: "same" })).toMatchObject({
      status: 409,
      json: { error: { code: "rollout_worker_name_taken", param: "name" } },
    });
    expect(await counts()).toMatchObject({ leased: 1, queued: 0, lost: 0 });
    expect(await call("/rollout/workers", { worker_id: "new", name: "same", replace: true })).toMatchObject({
      status: 200,
    });
    expect(await counts()).toMatchObject({ leased: 0, queued: 1, lost: 1 });
  });

  it("return the task of a worker that disconnects while it waits to others", async () => {
    const { url, call, run, lease, tasks } = await served();
    await call("/rollout/workers", { worker_id: "gone", name: "gone" });
    const leaving = new AbortController();
    const body = JSON.stringify({ worker_id: "gone", count: 1, held: [], wait_seconds: 60 });
    const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
    const waiting = fetch(`${url}/rollout/leases`, { method: "POST", headers, body, signal: leaving.signal });
    await expect.poll(() => tasks.counts.idle).toBe(1);
    leaving.abort();
    await expect(waiting).rejects.toThrow("aborted");
    await expect.poll(() => tasks.counts.idle).toBe(0);
    void run(0);
    expect(await lease("here")).toMatchObject([{ task: 0 }]);
  });
});

describe("the state of a job", () => {
  it("counts its tasks, its workers and what came too late", async () => {
    const clock = pausedClock();
    const remover = new SessionRemover({ remove: () => new Promise(() => {}), removeLease: () => Promise.resolve() });
    const { call, store, tasks, lease } = await served({ version: 2, batchSize: 3, remover });
    await call("/rollout/workers", { worker_id: "a", name: "first" });
    clock.now += 2500;
    await call("/rollout/workers", { worker_id: "b", name: "second" });
    const added = Array.from({ length: 9 }, (_, index) => ({ index, taskId: `t${index}`, groupId: `t${index}` }));
    await store.advance({ added, limits: { maxConcurrentRollouts: 8, maxStaleness: 99, consumerBatchSize: 3 } });
    const leases = await lease("b", 4);
    const [accepted, late, rejected, other] = leases;
    if (!accepted || !late || !rejected || !other) throw new Error("no leases");
    await call("/rollout/sessions", { sessions: [{ lease_id: late.lease_id, session_id: "s1" }] });
    await tasks.report([reportOf(accepted, "s0"), reportOf(rejected)]);
    await tasks.giveBack([late.lease_id]);
    await tasks.report([reportOf(late, "s1"), reportOf(late, "s2")]);
    await tasks.loseWorker("b", "it died");
    await lease("a", 2);
    const waiting = lease("b", 1, null).catch(() => undefined);
    await expect.poll(() => tasks.counts.idle).toBe(0);
    await waiting;
    expect((await call("/rollout/status")).json).toEqual({
      job_id: "job-1",
      state: "running",
      version: 2,
      tasks: { submitted: 9, waiting: 1, queued: 3, leased: 3, accepted: 1, rejected: 1 },
      lost_attempts: 1,
      refused_reports: 2,
      sessions_to_delete: 2,
      workers: [
        { name: "first", worker_id: "a", leases: 2, seconds_since_call: 2.5 },
        { name: "second", worker_id: "b", leases: 1, seconds_since_call: 0 },
      ],
    });
    const { text } = await call("/metrics");
    for (const line of [
      'tasks{state="waiting"} 1',
      'tasks{state="queued"} 3',
      'tasks{state="leased"} 3',
      'tasks{state="accepted"} 1',
      'tasks{state="rejected"} 1',
      "workers 2",
      "idle_workers 0",
      "sessions_to_delete 2",
      "lost_attempts_total 1",
      "refused_reports_total 2",
    ])
      expect(text).toContain(`\nrolltape_controller_${line}\n`);
    // A counter is no sum of its scrapes.
    expect((await call("/metrics")).text).toContain("\nrolltape_controller_lost_attempts_total 1\n");
    tasks.finish();
    expect((await call("/rollout/status")).json).toMatchObject({ state: "done" });
  });

  it("is measured with the requests, their errors and their connections", async () => {
    const { call, tasks, lease } = await served();
    await call("/rollout/status", undefined, null);
    const waiting = lease("a");
    await expect.poll(() => tasks.counts.idle).toBe(1);
    const { text } = await call("/metrics");
    expect(text).toMatch(/^rolltape_controller_build_info\{.*\} 1$/m);
    expect(text).toMatch(/^rolltape_controller_http_requests_total\{.*status="401".*\} 1$/m);
    expect(text).toContain('\nrolltape_controller_refused_total{code="missing_api_key"} 1\n');
    expect(text).toContain('\nrolltape_controller_closed_connections_total{reason="max_connections"} 0\n');
    expect(text).toContain("\nrolltape_controller_body_bytes_in_flight 0\n");
    expect(text).toContain("\nrolltape_controller_idle_workers 1\n");
    expect(text).toMatch(/^process_cpu_user_seconds_total /m);
    tasks.finish();
    await waiting;
  });

  it.each(["/livez", "/readyz", "/health", "/", "/v1", "/api/hello"])("is not shown to a probe of %s", async (path) => {
    const { call } = await served();
    expect(await call(path, undefined, null)).toMatchObject({ status: 200, json: { status: "ok" } });
  });

  it("is shown by the metrics with the admin key only, if they are not public", async () => {
    const { call } = await served({}, { public_metrics: false });
    expect(await call("/metrics", undefined, null)).toMatchObject({ status: 401 });
    expect(await call("/metrics")).toMatchObject({ status: 200 });
  });
});

describe("the controller's server", () => {
  it("refuses bodies that are no JSON, too long, or more than it receives at once", async () => {
    const { call, url } = await served({}, { max_body_bytes: 5000, body_bytes_in_flight: 4000 });
    const post = async (body: string, key = ADMIN_KEY) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
      const reply = await fetch(`${url}/rollout/heartbeats`, { method: "POST", headers, body });
      return { status: reply.status, error: ((await reply.json()) as { error: { code: string } }).error };
    };
    expect(await post("{")).toMatchObject({ status: 400, error: { code: "invalid_json" } });
    expect(await post(" ".repeat(6000))).toMatchObject({ status: 413 });
    const headers = {
      "content-length": 3000,
      authorization: `Bearer ${ADMIN_KEY}`,
      "content-type": "application/json",
    };
    const unsent = http.request(`${url}/rollout/heartbeats`, { method: "POST", headers });
    unsent.on("error", () => undefined);
    unsent.flushHeaders();
    const used = "rolltape_controller_body_bytes_in_flight";
    await expect.poll(async () => (await call("/metrics")).text).toContain(`\n${used} 3000\n`);
    expect(await post(" ".repeat(1000))).toMatchObject({ status: 503, error: { code: "server_busy" } });
    unsent.destroy();
    await expect.poll(async () => (await call("/metrics")).text).toContain(`\n${used} 0\n`);
    expect(await call("/rollout/unknown", {})).toMatchObject({
      status: 404,
      json: { error: { type: expect.any(String) as string } },
    });
  });

  it("closes the connection of a caller without a key whose body is large", async () => {
    const { url } = await served();
    const request = http.request(`${url}/rollout/reports`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 1_000_000 },
    });
    request.on("error", () => undefined);
    request.flushHeaders();
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    expect([reply.statusCode, reply.headers.connection]).toEqual([401, "close"]);
    request.destroy();
  });

  it("accepts no more connections than configured", async () => {
    const { call, url, tasks } = await served({}, { max_connections: 2 });
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    const held = Array.from({ length: 4 }, () => connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {}));
    await Promise.any(held.map((socket) => once(socket, "close")));
    for (const socket of held) socket.destroy();
    const read = async () => (await call("/metrics").catch(() => ({ text: "" }))).text;
    // One that is idle makes room for a new one.
    await expect.poll(read).toMatch(/closed_connections_total\{reason="(max_connections|idle)"\} [1-9]/);
    expect(tasks.workers.all()).toHaveLength(1);
  });

  it("sends the answers in progress when it closes, and closes their connections", async () => {
    const { gate, database } = gatedDatabase();
    const { url, running, tasks } = await served({ database });
    gate.closed = createDeferred<void>();
    const agent = new http.Agent({ keepAlive: true });
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const answered = once(http.get(`${url}/rollout/status`, { agent, headers }), "response");
    await settled();
    let isClosed = false;
    const closed = running.close().then(() => (isClosed = true));
    // It does not listen any more.
    const refused = () =>
      fetch(`${url}/livez`, { headers: { connection: "close" } }).then(
        () => "answered",
        () => "refused",
      );
    await expect.poll(refused).toBe("refused");
    expect([tasks.done, isClosed]).toEqual([true, false]);
    gate.closed.resolve();
    const [reply] = (await answered) as [IncomingMessage];
    expect([reply.statusCode, reply.headers.connection]).toEqual([200, "close"]);
    reply.resume();
    await closed;
  });

  it("logs each worker that registers", async () => {
    const { logger, lines } = captureLog();
    const { call } = await served({}, {}, logger);
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    expect(lines).toContainEqual(expect.objectContaining({ worker: "first" }));
  });
});

describe("a worker that ends", () => {
  it("is told that the job is over, and is then not waited for", async () => {
    const { call, tasks } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    tasks.finish();
    expect(tasks.workers.hasAlive(40)).toBe(true);
    const body = { worker_id: "w", count: 1, held: [], wait_seconds: 0 };
    expect((await call("/rollout/leases", body)).json).toEqual({ state: "done", leases: [] });
    expect(tasks.workers.hasAlive(40)).toBe(false);
  });

  it("gives its leases back in order, and unregisters", async () => {
    const { call, run, lease, counts } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    void run(0);
    const [held] = await lease("w");
    const body = { worker_id: "w", lease_ids: [held?.lease_id, "unknown"] };
    expect((await call("/rollout/returns", body)).json).toEqual({ returned: 1 });
    expect(await counts()).toMatchObject({ queued: 1, leased: 0, lost: 0 });
    expect(await call("/rollout/leases", { worker_id: "w", count: 1 })).toMatchObject({ status: 404 });
  });

  it("is heard with each heartbeat and update", async () => {
    const clock = pausedClock();
    const { call, tasks } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    for (const [path, body] of [
      ["/rollout/heartbeats", { worker_id: "w", lease_ids: [] }],
      ["/rollout/updates", { worker_id: "w" }],
      ["/rollout/leases", { worker_id: "w", count: 1, wait_seconds: 0 }],
    ] as const) {
      clock.now += 1000;
      expect((await call(path, body)).status).toBe(200);
      expect(tasks.workers.all()[0]?.lastCall).toBe(clock.now);
    }
  });

  it("gets at most its maximum of leases, which it can resume", async () => {
    const { call, run, tasks } = await served();
    await call("/rollout/workers", { worker_id: "w", name: "first" });
    for (let index = 0; index < 5; index++) void run(index);
    const read = async (path: string, body: object) =>
      (await call(path, { worker_id: "w", can_resume: true, ...body })).json as { leases: { cut_leases: string[] }[] };
    expect((await read("/rollout/leases", { count: 4, max_held: 1 })).leases).toHaveLength(1);
    expect((await read("/rollout/updates", { max_held: 2 })).leases).toHaveLength(1);
    await tasks.loseWorker("w", "it died");
    const { leases } = await read("/rollout/updates", { max_held: 2 });
    expect(leases.map((lease) => lease.cut_leases.length)).toEqual([1, 1]);
  });
});
