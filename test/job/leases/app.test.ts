import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WorkerList } from "../../../src/job/leases/worker-list.js";
import { SqliteDatabase } from "../../../src/job/sqlite.js";
import { ADMIN_KEY, leasing, reportOf, serve } from "./leasing.js";

async function served(options = {}) {
  const leased = await leasing(options);
  const running = await serve(leased);
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
