import { describe, expect, it, onTestFinished } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";

/** `POST /rl/sessions/end`: the end of a training step. */

const USER = [{ role: "user", content: "hello" }];

interface Ended {
  readonly sessions: readonly {
    readonly session_id: string;
    readonly state: string;
    readonly interaction_count: number;
    readonly incomplete_calls: number;
    readonly calls_in_flight: number;
  }[];
  readonly not_found: readonly string[];
}

async function start(): Promise<Proxy> {
  const proxy = await Proxy.start();
  onTestFinished(() => proxy.close());
  return proxy;
}

const end = (proxy: Pick<Proxy, "post">, body: object) => proxy.post("/rl/sessions/end", body);
const idsOf = ({ sessions }: Ended) => sessions.map(({ session_id }) => session_id);

describe("POST /rl/sessions/end", () => {
  it("ends the sessions of groups and ids, each once, and lists what they recorded", async () => {
    const proxy = await start();
    const first = await proxy.session({ group_id: "g" });
    const second = await proxy.session({ group_id: "g" });
    const third = await proxy.session();
    const other = await proxy.session({ group_id: "h" });
    await proxy.turn(first, USER);
    const body = { group_ids: ["g", "no-such-group"], session_ids: [third.id, first.id, "nobody"] };
    const ended = (await end(proxy, body)).json<Ended>();
    expect(idsOf(ended)).toEqual([first.id, second.id, third.id]);
    expect(ended.sessions.map(({ state, interaction_count }) => [state, interaction_count])).toEqual([
      ["ended", 1],
      ["ended", 0],
      ["ended", 0],
    ]);
    expect(ended.not_found).toEqual(["nobody"]);
    expect((await proxy.chat(first, USER)).refusal).toBe("409 session_ended");
    expect(proxy.context.registry.get(other.id).state).toBe("active");
  });

  it("aborts the calls in flight with abort: true, and records nothing of them", async () => {
    const proxy = await start();
    const session = await proxy.session({ group_id: "g" });
    const first = await proxy.turn(session, USER);
    proxy.engine.hold();
    const calls = [proxy.chat(session, [...first.messages, USER[0] as object]), proxy.chat(session, USER, { n: 2 })];
    await until(() => proxy.engine.calls.length === 4);
    const ended = (await end(proxy, { group_ids: ["g"], abort: true })).json<Ended>();
    expect(ended.sessions).toEqual([
      expect.objectContaining({ state: "ended", interaction_count: 1, incomplete_calls: 3, calls_in_flight: 0 }),
    ]);
    expect((await Promise.all(calls)).map(({ refusal }) => refusal)).toEqual(["409 call_aborted", "409 call_aborted"]);
    expect(proxy.engine.aborted).toHaveLength(3);
    const { interactions, incomplete_calls } = (await proxy.export(session)).json<WireExport>();
    expect([Object.keys(interactions), incomplete_calls]).toEqual([[first.id], 3]);
  });

  it("lets the calls in flight go on without abort, and they are recorded", async () => {
    const proxy = await start();
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const call = proxy.chat(session, USER);
    await until(() => proxy.engine.calls.length === 1);
    const ended = (await end(proxy, { session_ids: [session.id] })).json<Ended>();
    expect(ended.sessions[0]).toMatchObject({ state: "ended", interaction_count: 0, calls_in_flight: 1 });
    release();
    expect((await call).status).toBe(200);
    expect(proxy.context.registry.get(session.id).interactionCount).toBe(1);
  });

  it("gives the same answer again, also after an export", async () => {
    const proxy = await start();
    const session = await proxy.session({ group_id: "g" });
    await proxy.turn(session, USER);
    const body = { group_ids: ["g"], abort: true };
    const first = (await end(proxy, body)).json<Ended>();
    expect((await end(proxy, body)).json()).toEqual(first);
    await proxy.export(session);
    const [exported] = (await end(proxy, body)).json<Ended>().sessions;
    expect(exported).toEqual({ ...first.sessions[0], state: "exported" });
  });

  it("lets an export that waits for the sessions go on", async () => {
    const proxy = await start();
    const sessions: StartedSession[] = [await proxy.session({ group_id: "g" }), await proxy.session({ group_id: "g" })];
    for (const session of sessions) await proxy.turn(session, USER);
    const exported = proxy.post("/export_batch", { session_ids: sessions.map(({ id }) => id), wait_seconds: 60 });
    await end(proxy, { group_ids: ["g"], abort: true });
    expect((await exported).status).toBe(200);
  });

  it.each([{}, { abort: true }, { group_ids: null }])("refuses %j, which selects nothing", async (body) => {
    const { status, error } = await end(await start(), body);
    expect([status, error.code, error.param]).toEqual([400, "invalid_value", "session_ids"]);
  });

  it("requires the admin key", async () => {
    const proxy = await start();
    const session = await proxy.session({ group_id: "g" });
    const refused = await proxy.post("/rl/sessions/end", { group_ids: ["g"] }, session.key);
    expect(refused.refusal).toBe("403 wrong_key_kind");
    expect(proxy.context.registry.get(session.id).state).toBe("active");
  });
});

describe("with SGLang, abort: true", () => {
  async function startSlow() {
    const server = await startSglangServer({ tokenMilliseconds: 20, complete: () => Array<number>(500).fill(300) });
    const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
    const proxy = await Proxy.start({ engine });
    onTestFinished(async () => {
      await proxy.close();
      await engine.close();
      await server.close();
    });
    return { server, proxy, session: await proxy.session({ group_id: "g" }) };
  }

  it.each([false, true])(
    "aborts the generation on the server, which gets no other request; streamed: %s",
    async (stream) => {
      const { server, proxy, session } = await startSlow();
      const call = proxy.chat(session, USER, { stream, max_tokens: 500 });
      await until(() => server.scheduler.pendingTokens > 0);
      await end(proxy, { group_ids: ["g"], abort: true });
      const rid = server.to("/generate")[0]?.json["rid"];
      await until(() => server.to("/abort_request").some(({ json }) => json["rid"] === rid));
      expect((await call).raw.toString()).toContain("call_aborted");
      await until(() => server.scheduler.pending === 0);
      expect(server.to("/generate")).toHaveLength(1);
      expect(proxy.context.registry.get(session.id).interactionCount).toBe(0);
    },
  );

  it("does not resume a generation that a pause has cut", async () => {
    const { server, proxy, session } = await startSlow();
    const call = proxy.chat(session, USER, { max_tokens: 500 });
    await until(() => server.scheduler.pendingTokens > 0);
    expect((await proxy.post("/rl/engine/pause", {})).status).toBe(200);
    await until(() => server.scheduler.pending === 0);
    const ended = (await end(proxy, { group_ids: ["g"], abort: true })).json<Ended>();
    expect(ended.sessions[0]).toMatchObject({ interaction_count: 0, incomplete_calls: 1, calls_in_flight: 0 });
    expect((await call).refusal).toBe("409 call_aborted");
    await proxy.post("/rl/engine/resume", {});
    const other = await proxy.session();
    expect((await proxy.chat(other, USER, { max_tokens: 1 })).status).toBe(200);
    expect(server.to("/generate")).toHaveLength(2);
  });
});
