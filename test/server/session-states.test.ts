import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WireExport } from "../helpers/export-json.js";
import { Proxy } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { until } from "../helpers/until.js";

const USER = [{ role: "user", content: "hello" }];

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

describe("start_session", () => {
  it("returns 429 with Retry-After while no capacity is granted", async () => {
    const reply = await proxy.post("/rl/start_session", {});
    expect(reply.refusal).toBe("429 no_capacity");
    expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("takes one slot, and none if it is refused", async () => {
    expect((await proxy.post("/grant_capacity", { slots: 2 })).json()).toEqual({ capacity: 2 });
    expect((await proxy.post("/rl/start_session", { task_id: "no spaces" })).refusal).toBe("400 invalid_value");
    expect((await proxy.post("/rl/start_session", {})).status).toBe(200);
    expect((await proxy.post("/rl/start_session", {})).status).toBe(200);
    expect((await proxy.post("/rl/start_session", {})).refusal).toBe("429 no_capacity");
    expect((await proxy.post("/grant_capacity", {})).json()).toEqual({ capacity: 1 });
  });

  it("names sessions after their task, and never uses an id twice", async () => {
    const first = await proxy.session({ task_id: "math:1" });
    const second = await proxy.session({ task_id: "math:1" });
    expect([first.id, second.id]).toEqual(["math:1-0", "math:1-1"]);
    expect((await proxy.session()).id).toBe("task-2");
    await proxy.end(first);
    await proxy.export(first);
    expect((await proxy.session({ task_id: "math:1" })).id).toBe("math:1-3");
  });

  it("returns the key under both names, with at least 32 random bytes", async () => {
    await proxy.post("/grant_capacity", {});
    const body = (await proxy.post("/rl/start_session", {})).json<Record<string, string>>();
    expect(body["api_key"]).toBe(body["session_api_key"]);
    expect(body["api_key"]).toMatch(/^sk-[A-Za-z0-9_-]{43,}$/);
  });

  it("accepts a key of the client's choice unless it is short, the admin key, or in use", async () => {
    await proxy.post("/grant_capacity", { slots: 5 });
    const key = "my-own-session-key-1";
    expect((await proxy.post("/rl/start_session", { api_key: "short" })).refusal).toBe("400 invalid_value");
    const admin = await proxy.post("/rl/start_session", { api_key: "sk-admin-0123456789abcdef" });
    expect(admin.refusal).toBe("400 invalid_value");
    expect(admin.error.param).toBe("api_key");
    expect((await proxy.post("/rl/start_session", { api_key: key })).status).toBe(200);
    expect((await proxy.post("/rl/start_session", { api_key: key })).refusal).toBe("409 api_key_in_use");
    await proxy.post("/rl/end_session", {}, key);
    const again = (await proxy.post("/rl/start_session", { api_key: key })).json<{ session_id: string }>();
    expect(again.session_id).toBe("task-1");
  });
});

describe("an ended session", () => {
  it("refuses model calls with 409, accepts rewards, and can be ended again", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    const first = await proxy.end(session);
    expect(first.json()).toEqual({ session_id: session.id, interaction_count: 1 });
    expect((await proxy.chat(session, USER)).refusal).toBe("409 session_ended");
    expect((await proxy.reward(session, 1)).status).toBe(200);
    expect((await proxy.end(session)).json()).toEqual(first.json());
    expect((await proxy.export(session)).json<WireExport>().rewards_missing).toBe(false);
  });

  it("records a call that was in flight", async () => {
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    expect((await proxy.end(session)).json()).toEqual({ session_id: session.id, interaction_count: 0 });
    expect((await proxy.chat(session, USER)).refusal).toBe("409 session_ended");
    const exported = proxy.export(session);
    release();
    expect((await call).status).toBe(200);
    const { interactions, incomplete_calls } = (await exported).json<WireExport>();
    expect(Object.keys(interactions)).toHaveLength(1);
    expect(incomplete_calls).toBe(0);
  });

  it("is exported without a call that outlasts drain_seconds, which is aborted and counted", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    proxy.engine.hold();
    const call = proxy.chat(session, [{ role: "user", content: "another" }]);
    await until(() => proxy.engine.calls.length === 2);
    await proxy.end(session);
    const { interactions, incomplete_calls } = (
      await proxy.export(session, { drain_seconds: 0.05 })
    ).json<WireExport>();
    expect(Object.keys(interactions)).toHaveLength(1);
    expect(incomplete_calls).toBe(1);
    expect((await call).refusal).toBe("409 call_aborted");
    expect(proxy.engine.aborted).toHaveLength(1);
    const batch = readSafetensors((await proxy.post("/export_batch", { session_ids: [session.id] })).raw);
    expect(JSON.parse(batch.metadata["incomplete_calls"] ?? "")).toEqual({ [session.id]: 1 });
  });
});

describe("an exported session", () => {
  it("returns the same bytes again, and its key is revoked", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.reward(session, 0.5);
    await proxy.end(session);
    const first = await proxy.export(session, { discount: 0.9 });
    const second = await proxy.export(session, { discount: 0.9 });
    expect(second.raw.equals(first.raw)).toBe(true);
    for (const reply of [await proxy.chat(session, USER), await proxy.reward(session, 1), await proxy.end(session)]) {
      expect(reply.refusal).toBe("401 invalid_api_key");
    }
  });

  it("returns 410 once it is no longer retained", async () => {
    await proxy.close();
    proxy = await Proxy.start({ retention: { milliseconds: 300_000, bytes: 0 } });
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.end(session);
    expect((await proxy.export(session)).status).toBe(200);
    expect((await proxy.export(session)).refusal).toBe("410 session_exported");
    const record = (await proxy.request({ url: `/rl/sessions/${session.id}` })).json();
    expect(record).toMatchObject({ state: "exported", interaction_count: 1 });
  });

  it("is freed after its retention time, or oldest first if the retained bytes exceed their limit", async () => {
    const { registry } = proxy.context;
    const sessions = [await proxy.session(), await proxy.session()];
    for (const session of sessions) {
      await proxy.chat(session, USER);
      await proxy.end(session);
      await proxy.export(session);
    }
    registry.sweep(Date.now() + 299_000);
    expect((await proxy.export(sessions[0] as never)).status).toBe(200);
    registry.sweep(Date.now() + 301_000);
    expect((await proxy.export(sessions[0] as never)).refusal).toBe("410 session_exported");
  });
});

describe("a session whose engine is slow", () => {
  it("does not expire because of the time of a failed call", async () => {
    const session = await proxy.session();
    proxy.engine.replies.push(new Error("broke"));
    await proxy.chat(session, USER);
    const { registry } = proxy.context;
    registry.get(session.id).lastAccessAt = 0;
    proxy.engine.replies.push(new Error("broke late"));
    const release = proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 2);
    registry.get(session.id).lastAccessAt = 0;
    release();
    await call;
    registry.sweep();
    expect((await proxy.chat(session, USER)).status).toBe(200);
  });
});

describe("concurrent exports", () => {
  it("keep rewards waiting for the one that packs, even if another one is refused", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.chat(session, [...USER, { role: "assistant", content: "rewritten" }, ...USER]);
    await proxy.end(session);
    const { lifecycle } = proxy.context.registry.get(session.id);
    lifecycle.beginExport();
    expect((await proxy.export(session, { style: "concat" })).refusal).toBe("422 concat_mismatch");
    const waits = vi.spyOn(lifecycle, "waitSettled");
    const reward = proxy.reward(session, 1);
    await until(() => waits.mock.calls.length > 0);
    lifecycle.endExport("left");
    expect((await reward).status).toBe(200);
    expect((await proxy.export(session)).json<WireExport>().rewards_missing).toBe(false);
  });

  it("refuse a reward that waited, once one of them succeeded", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    await proxy.end(session);
    const { lifecycle } = proxy.context.registry.get(session.id);
    lifecycle.beginExport();
    const waits = vi.spyOn(lifecycle, "waitSettled");
    const reward = proxy.reward(session, 1);
    await until(() => waits.mock.calls.length > 0);
    lifecycle.endExport("taken");
    expect((await reward).refusal).toBe("410 session_exported");
  });

  it("export nothing if a session expires while another one drains, and name it", async () => {
    const [busy, idle] = [await proxy.session(), await proxy.session()];
    await proxy.chat(idle, USER);
    await proxy.end(idle);
    const release = proxy.engine.hold();
    const call = proxy.chat(busy, USER);
    await until(() => proxy.engine.calls.length === 2);
    await proxy.end(busy);
    const drains = vi.spyOn(proxy.context.registry.get(busy.id).calls, "waitIdle");
    const batch = proxy.post("/export_batch", { session_ids: [busy.id, idle.id] });
    await until(() => drains.mock.calls.length > 0);
    proxy.context.registry.sweep(Date.now() + 7_200_000);
    release();
    await call;
    const refused = await batch;
    expect(refused.refusal).toBe("410 session_expired");
    expect(refused.error["sessions"]).toMatchObject([{ session_id: idle.id }]);
    expect((await proxy.export(busy)).status).toBe(200);
  });
});

describe("an export of a session that is not ready", () => {
  it("returns 404 for an unknown session", async () => {
    expect((await proxy.export({ id: "task-99", key: "" })).refusal).toBe("404 session_not_found");
  });

  it("returns 409 for an active session, immediately or after wait_seconds", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    expect((await proxy.export(session)).refusal).toBe("409 session_active");
    expect((await proxy.export(session, { wait_seconds: 0.05 })).refusal).toBe("409 session_active");
    expect((await proxy.chat(session, USER)).status).toBe(200);
  });

  it("waits for the end of the session, and two that wait return the same bytes", async () => {
    const session = await proxy.session();
    await proxy.chat(session, USER);
    const waits = vi.spyOn(proxy.context.registry.get(session.id).lifecycle, "waitEnd");
    const waiting = [proxy.export(session, { wait_seconds: 20 }), proxy.export(session, { wait_seconds: 20 })];
    await until(() => waits.mock.calls.length === 2);
    await proxy.end(session);
    const [first, second] = await Promise.all(waiting);
    expect(first?.status).toBe(200);
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
  });
});

describe("a session without a call during its timeout", () => {
  it("expires: its key is revoked, its data freed, its export returns 410", async () => {
    const [idle, ended] = [await proxy.session(), await proxy.session()];
    await proxy.chat(idle, USER);
    await proxy.chat(ended, USER);
    await proxy.end(ended);
    proxy.context.registry.sweep(Date.now() + 3_599_000);
    expect((await proxy.chat(idle, USER)).status).toBe(200);
    proxy.context.registry.sweep(Date.now() + 3_601_000);
    for (const session of [idle, ended]) {
      expect((await proxy.chat(session, USER)).refusal).toBe("401 invalid_api_key");
      expect((await proxy.export(session)).refusal).toBe("410 session_expired");
      const record = (await proxy.request({ url: `/rl/sessions/${session.id}` })).json();
      expect(record).toMatchObject({ state: "expired", native_bytes: 0, holds_slot: false });
    }
  });

  it("does not expire while a call is in flight", async () => {
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    proxy.context.registry.sweep(Date.now() + 7_200_000);
    release();
    expect((await call).status).toBe(200);
  });
});

describe("GET /rl/sessions", () => {
  it("lists sessions with their state and counts", async () => {
    const session = await proxy.session({ task_id: "a", group_id: "g" });
    await proxy.session({ task_id: "b" });
    await proxy.chat(session, USER);
    await proxy.end(session);
    const { sessions } = (await proxy.request({ url: "/rl/sessions?state=ended" })).json<{ sessions: object[] }>();
    expect(sessions).toHaveLength(1);
    expect(sessions[0]).toMatchObject({
      session_id: "a-0",
      task_id: "a",
      group_id: "g",
      state: "ended",
      interaction_count: 1,
      completion_tokens: 3,
      holds_slot: true,
    });
    expect((await proxy.request({ url: "/rl/sessions/none-0" })).refusal).toBe("404 session_not_found");
  });
});
