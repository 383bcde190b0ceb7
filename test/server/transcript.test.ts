import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { canUnload } from "../../src/session/stored/loaded-sessions.js";
import type { SessionTranscript } from "../../src/transcript/format.js";
import { sessionTranscript } from "../../src/transcript/schema.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { Proxy, type ProxyOptions, type StartedSession } from "../helpers/proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

const SYSTEM = { role: "system", content: "Count." };
const user = (content: string) => ({ role: "user", content });

async function startProxy(options: ProxyOptions<ScriptedEngine> = {}): Promise<Proxy> {
  const proxy = await Proxy.start(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

async function read(proxy: Proxy, { id }: StartedSession, query = ""): Promise<SessionTranscript> {
  const reply = await proxy.request({ url: `/rl/sessions/${id}/transcript${query}` });
  expect(reply.headers["content-type"]).toContain("application/json");
  return sessionTranscript.parse(reply.json());
}

describe("GET /rl/sessions/{id}/transcript", () => {
  it("returns each call of an active session as what it adds to its parent", async () => {
    const proxy = await startProxy();
    const session = await proxy.session({ task_id: "math", group_id: "g" });
    expect(await read(proxy, session)).toMatchObject({
      state: "active",
      task_id: "math",
      group_id: "g",
      interactions: [],
    });

    const first = await proxy.turn(session, [SYSTEM, user("one")]);
    await proxy.turn(session, [...first.messages, user("two"), user("three")]);
    await proxy.turn(session, [user("another conversation")]);
    const { interactions } = await read(proxy, session);
    expect(interactions.map(({ parent, kept, messages }) => ({ parent, kept, messages }))).toEqual([
      { parent: -1, kept: 0, messages: [SYSTEM, user("one")] },
      { parent: 0, kept: 3, messages: [user("two"), user("three")] },
      { parent: -1, kept: 0, messages: [user("another conversation")] },
    ]);
    const [root, child] = interactions;
    expect(root).toMatchObject({ id: first.id, answer: { role: "assistant" }, token_exact: false, shared_tokens: 0 });
    expect(root?.versions).toEqual([0, 0]);
    expect(child?.shared_tokens).toBeGreaterThan(0);
    expect(child?.sampling).toMatchObject({ temperature: 1, greedy: false });
  });

  it("names the API, the model and the agent of each call, and when it was made", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    await proxy.chat(session, [user("one")], { model: "my-model", n: 2 });
    const { started_at, interactions } = await read(proxy, session);
    expect(interactions).toMatchObject([
      { api: "chat.completions", requested_model: "my-model", choice: 0 },
      { api: "chat.completions", requested_model: "my-model", choice: 1 },
    ]);
    expect(interactions[0]?.created_at).toBeGreaterThanOrEqual(started_at ?? Number.POSITIVE_INFINITY);
  });

  it("shows kept messages that a request spelled differently", async () => {
    const proxy = await startProxy({ messageFilters: [/\d+ o'clock/g] });
    const session = await proxy.session();
    const first = await proxy.turn(session, [user("It is 9 o'clock.")]);
    await proxy.turn(session, [user("It is 10 o'clock."), ...first.messages.slice(1), user("And now?")]);
    const { interactions } = await read(proxy, session);
    expect(interactions[1]).toMatchObject({
      kept: 2,
      respelled: [[0, user("It is 10 o'clock.")]],
      messages: [user("And now?")],
    });
  });

  it("discounts rewards as an export does", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    const first = await proxy.turn(session, [user("one")]);
    await proxy.turn(session, [...first.messages, user("two")]);
    await proxy.reward(session, 1);
    await proxy.end(session);
    const rewards = async (query: string) =>
      (await read(proxy, session, query)).interactions.map(({ reward, own_reward: own }) => [reward, own]);
    expect(await rewards("")).toEqual([
      [1, undefined],
      [1, 1],
    ]);
    expect(await rewards("?discount=0.25")).toEqual([
      [0.25, undefined],
      [1, 1],
    ]);
  });

  it("reads exported sessions while they are retained, and refuses freed and unknown ones", async () => {
    const proxy = await startProxy();
    const session = await proxy.session();
    await proxy.turn(session, [user("one")]);
    await proxy.end(session);
    await proxy.export(session);
    expect(await read(proxy, session)).toMatchObject({
      state: "exported",
      interactions: [{ messages: [user("one")] }],
    });
    proxy.context.registry.freeRetained(() => false);
    const refusal = async (url: string, key?: string) => (await proxy.request({ url }, key)).refusal;
    expect(await refusal(`/rl/sessions/${session.id}/transcript`)).toBe("410 session_exported");
    expect(await refusal("/rl/sessions/nobody/transcript")).toBe("404 session_not_found");
    const other = await proxy.session();
    const url = `/rl/sessions/${other.id}/transcript`;
    expect(await refusal(`${url}?discount=2`)).toBe("400 invalid_value");
    expect(await refusal(url, other.key)).toBe("403 wrong_key_kind");
  });

  it("reads a session that is on disk only", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-transcript-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const before = await Proxy.start({ storage: { directory } });
    const session = await before.session();
    const first = await before.turn(session, [SYSTEM, user("one")]);
    await before.turn(session, [...first.messages, user("two")]);
    const whole = await read(before, session);
    await before.close();

    const after = await startProxy({ storage: { directory } });
    expect(await read(after, session)).toEqual(whole);
    expect(canUnload(after.context.registry.get(session.id))).toBe(true);
  });

  it("goes to the worker of the session through a gateway", async () => {
    const { proxy, url } = await startWorker("aaaa");
    const gateway = await Gateway.start({ urls: [url] });
    const session = await proxy.session();
    await proxy.turn(session, [user("one")]);
    const reply = await gateway.send(`/rl/sessions/${session.id}/transcript?discount=0.5`);
    expect(sessionTranscript.parse(reply.json())).toMatchObject({
      session_id: session.id,
      interactions: [{ kept: 0 }],
    });
  });
});
