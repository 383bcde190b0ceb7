import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ConnectionPool, HttpReply } from "../../../src/client/connection-pool.js";
import { ControllerClient } from "../../../src/rollout/worker/controller-client.js";
import { pausedClock } from "../../job/leases/paused-clock.js";

type Answer = { readonly status: number; readonly body: unknown } | Error;

const refusal = (status: number, code: string): Answer => ({ status, body: { error: { message: "no", code } } });
const ok = (body: unknown): Answer => ({ status: 200, body });

/** A client whose calls get these answers, one after the other, and pauses that the test passes. */
function calling(...answers: Answer[]) {
  const clock = pausedClock();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(Math, "random").mockReturnValue(0.25);
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const calls: [method: string, path: string, body: unknown][] = [];
  const request: ConnectionPool["request"] = async (url, { method, body }) => {
    calls.push([method, url.replace("http://controller", ""), body === undefined ? undefined : JSON.parse(body)]);
    const answer = answers.shift() ?? ok({});
    if (answer instanceof Error) throw answer;
    return { status: answer.status, headers: {}, body: Buffer.from(JSON.stringify(answer.body)) } satisfies HttpReply;
  };
  const troubles: (string | undefined)[] = [];
  const address: { url: string | undefined } = { url: "http://controller" };
  const client = new ControllerClient({
    locate: async () => address.url,
    adminKey: "sk-admin-of-a-controller",
    connections: { request } as ConnectionPool,
    patienceSeconds: 5,
    onTrouble: (why) => troubles.push(why),
  });
  const pass = async (milliseconds: number) => {
    clock.now += milliseconds;
    await vi.advanceTimersByTimeAsync(milliseconds);
  };
  return { client, calls, troubles, address, pass, clock };
}

const { signal: never } = new AbortController();
const settings = {
  job_id: "j",
  proxy_url: "http://p",
  lease_seconds: 1,
  workflow: {
    group_size: 1,
    drop_incomplete_group: true,
    reward_scope: "session",
    timeout_seconds: null,
    rejected_sessions: "keep",
  },
};
const noLeases = { state: "running", leases: [] };
const lease = { worker_id: "w", count: 2, max_held: 2, wait_seconds: 30 };
const failed = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

describe("the calls of a rollout worker", () => {
  it("are these", async () => {
    const { client, calls } = calling(
      ok(settings),
      ok(settings),
      ok({ lost: ["l"] }),
      ok({ returned: 1 }),
      ok(noLeases),
    );
    expect(await client.register("w", "name")).toEqual(settings);
    await client.register("w", "name", { replace: true });
    expect(await client.heartbeat("w", ["l", "m"], never)).toEqual(["l"]);
    await client.giveBack("w", ["l"], never);
    const held = { read: () => ["l"], isTold: false };
    expect(await client.lease(lease, held, never)).toEqual(noLeases);
    expect(calls).toEqual([
      ["POST", "/rollout/workers", { worker_id: "w", name: "name", replace: false }],
      ["POST", "/rollout/workers", { worker_id: "w", name: "name", replace: true }],
      ["POST", "/rollout/heartbeats", { worker_id: "w", lease_ids: ["l", "m"] }],
      ["POST", "/rollout/returns", { worker_id: "w", lease_ids: ["l"] }],
      ["POST", "/rollout/leases", lease],
    ]);
  });

  it("read the state of the job", async () => {
    const tasks = { submitted: 1, waiting: 0, queued: 1, leased: 0, accepted: 0, rejected: 0 };
    const counts = { lost_attempts: 0, refused_reports: 0, sessions_to_delete: 0 };
    const status = { job_id: "j", state: "done", version: 3, tasks, ...counts, workers: [] };
    const { client, calls } = calling(ok(status));
    expect(await client.status(never)).toEqual(status);
    expect(calls).toEqual([["GET", "/rollout/status", undefined]]);
  });

  it("tell the leases that the worker knows when they are repeated, because an answer may be lost", async () => {
    const { client, calls, pass } = calling(new Error("cut"), ok(noLeases), new Error("cut"));
    const held = ["a"];
    const leased = client.lease(lease, { read: () => [...held], isTold: false }, never);
    await pass(0);
    held.push("b");
    await pass(100);
    await leased;
    expect(calls.map(([, , body]) => body)).toEqual([lease, { ...lease, held: ["a", "b"] }]);
    const body = { worker_id: "w", sessions: [], reports: [] };
    const updated = client.update(body, { read: () => ["c"] });
    await pass(0);
    expect(calls.slice(2).map(([, path, sent]) => [path, sent])).toEqual([["/rollout/updates", body]]);
    await pass(100);
    expect(calls.slice(3).map(([, path, sent]) => [path, sent])).toEqual([
      ["/rollout/updates", { ...body, held: ["c"] }],
    ]);
    updated.catch(() => undefined);
  });

  it("tell them at once if the answer to an earlier call may be lost", async () => {
    const { client, calls } = calling(ok(noLeases));
    await client.lease(lease, { read: () => ["a"], isTold: true }, never);
    expect(calls[0]?.[2]).toEqual({ ...lease, held: ["a"] });
  });
});

describe("a call that is not answered", () => {
  it("is repeated after longer and longer pauses, and its trouble is told once", async () => {
    const { client, calls, troubles, pass } = calling(
      new Error("cut"),
      refusal(503, "server_draining"),
      refusal(429, "server_busy"),
      ok("nonsense"),
      ok(settings),
    );
    const registered = client.register("w", "name");
    await pass(0);
    for (const pause of [75, 150, 300, 600]) {
      const before = calls.length;
      await pass(pause - 1);
      expect(calls).toHaveLength(before);
      await pass(1);
      expect(calls).toHaveLength(before + 1);
    }
    expect(await registered).toEqual(settings);
    expect(troubles).toEqual([expect.stringContaining("cut"), undefined]);
    const again = client.register("w", "name");
    again.catch(() => undefined);
    await pass(0);
    expect(troubles).toHaveLength(3);
  });

  it("is given up when the controller has not answered for its patience", async () => {
    const { client, calls, pass, clock } = calling(new Error("cut"), ok(settings), new Error("cut"), new Error("gone"));
    clock.now += 4999;
    const first = client.register("w", "name");
    await pass(0);
    await pass(100);
    await first;
    clock.now += 60_000;
    const second = failed(client.register("w", "name"));
    await pass(0);
    clock.now += 4900;
    await pass(100);
    expect(await second).toMatchObject({
      name: "RolloutWorkerError",
      code: "controller_unreachable",
      message: expect.stringMatching(/^The controller did not answer for 5 s: .*gone/) as string,
      cause: { code: "connection_failed" },
    });
    expect(calls).toHaveLength(4);
  });

  it("has the time since the client was created only, if the controller never answered", async () => {
    const { client, pass, clock } = calling(new Error("cut"));
    clock.now += 5000;
    const registered = failed(client.register("w", "name"));
    await pass(0);
    expect(await registered).toMatchObject({ code: "controller_unreachable" });
  });

  it("waits for the address of the controller", async () => {
    const { client, calls, troubles, address, pass } = calling(ok(settings));
    address.url = undefined;
    const registered = client.register("w", "name");
    await pass(199);
    address.url = "http://controller";
    expect(calls).toEqual([]);
    await pass(1);
    expect(await registered).toEqual(settings);
    expect(troubles).toEqual(["The controller's address is not known yet.", undefined]);
    address.url = undefined;
    const never = failed(client.register("w", "name"));
    await pass(0);
    for (let i = 0; i < 25; i++) await pass(200);
    expect(await never).toMatchObject({
      message: "The controller did not answer for 5 s: The controller's address is not known yet.",
    });
  });

  it("ends with its signal, before it is sent, while it is repeated, and while it waits for the address", async () => {
    const { client, calls, address, pass } = calling(new Error("cut"));
    const reason = new Error("enough");
    expect(await failed(client.heartbeat("w", [], AbortSignal.abort(reason)))).toBe(reason);
    expect(calls).toEqual([]);
    const aborts = [new AbortController(), new AbortController()] as const;
    const repeated = failed(client.heartbeat("w", [], aborts[0].signal));
    await pass(0);
    aborts[0].abort(reason);
    expect(await repeated).toBe(reason);
    expect(calls).toHaveLength(1);
    address.url = undefined;
    const waiting = failed(client.heartbeat("w", [], aborts[1].signal));
    await pass(0);
    aborts[1].abort(reason);
    expect(await waiting).toBe(reason);
  });
});

describe("a call that is refused", () => {
  it.each([400, 401, 409, 499])("is not repeated (%i)", async (status) => {
    const { client, troubles } = calling(refusal(status, "some_code"));
    expect(await failed(client.register("w", "name"))).toMatchObject({
      name: "RolloutWorkerError",
      code: "controller_refused",
      message: "The controller refused /rollout/workers: no",
      cause: { status },
    });
    expect(troubles).toEqual([]);
  });

  it("because the controller does not know the worker is the proxy error", async () => {
    const { client } = calling(refusal(404, "rollout_worker_not_found"));
    const error = await failed(client.heartbeat("w", [], never));
    expect(error).toMatchObject({ name: "ProxyError", code: "rollout_worker_not_found" });
  });
});
