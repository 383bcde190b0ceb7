import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterEach(() => proxy.close());

const user = (content: string) => ({ role: "user", content });

const call = (messages: readonly object[]) => proxy.turn(session, messages);

function rewardSession(reward: unknown, extra: object = {}): Promise<Reply> {
  return proxy.post("/rl/set_reward", { reward, scope: "session", ...extra }, session.key);
}

async function exported(options: object = {}): Promise<WireExport & Record<string, unknown>> {
  await proxy.end(session);
  return (await proxy.export(session, options)).json();
}

async function rewards(options: object = {}): Promise<Record<string, number>> {
  const { interactions } = await exported(options);
  return Object.fromEntries(Object.values(interactions).map((each) => [each.interaction_id, each.reward]));
}

describe("a reward with scope session", () => {
  it("rewards the main conversation although the last call was a side call", async () => {
    const first = await call([user("work")]);
    const second = await call([...first.messages, user("more")]);
    const title = await call([user("Write a title.")]);
    expect((await rewardSession(1)).json()).toEqual({ interaction_id: null, reward: 1, scope: "session" });
    expect(await rewards({ discount: 0.5 })).toEqual({ [first.id]: 0.5, [second.id]: 1, [title.id]: 1 });
  });

  it("is discounted by the distance to the leaf that completed last", async () => {
    const root = await call([user("a")]);
    const deep = await call([...root.messages, user("b")]);
    const deeper = await call([...deep.messages, user("c")]);
    const last = await call([...root.messages, user("d")]);
    await rewardSession(1);
    // The leaf that completed last is one edge below the root, although another branch has two edges.
    expect(await rewards({ discount: 0.5 })).toEqual({
      [root.id]: 0.5,
      [deep.id]: 0.5,
      [deeper.id]: 1,
      [last.id]: 1,
    });
  });

  it("is added to the own rewards of interactions, and is replaced by a later session reward", async () => {
    const first = await call([user("a")]);
    const second = await call([...first.messages, user("b")]);
    await proxy.reward(session, 0.25, second.id);
    await rewardSession(5);
    await rewardSession(1);
    const reply = await exported({ discount: 0.5 });
    expect(reply["session_reward"]).toBe(1);
    const { interactions } = reply;
    expect([interactions[first.id]?.reward, interactions[second.id]?.reward]).toEqual([0.625, 1.25]);
    expect(interactions[second.id]?.own_reward).toBe(0.25);
  });

  it("counts as a reward of every conversation", async () => {
    await call([user("a")]);
    await rewardSession(0);
    const reply = await exported();
    expect(reply.rewards_missing).toBe(false);
    expect(reply["unrewarded_roots"]).toEqual([]);
  });

  it.each([
    ["before any completion", () => rewardSession(1), "400 no_interactions"],
    [
      "with an interaction_id",
      async () => rewardSession(1, { interaction_id: (await call([user("a")])).id }),
      "400 invalid_value",
    ],
    [
      "that is not a finite float32",
      async () => call([user("a")]).then(() => rewardSession(1e39)),
      "400 invalid_value",
    ],
    ["with another scope", async () => rewardSession(1, { scope: "episode" }), "400 invalid_value"],
  ])("is refused %s", async (_, ask, refusal) => {
    expect((await ask()).refusal).toBe(refusal);
  });

  it("is refused after the export", async () => {
    await call([user("a")]);
    await exported();
    expect((await rewardSession(1)).refusal).toBe("401 invalid_api_key");
  });
});

describe("a conversation without any reward", () => {
  it("is listed by its root if another conversation has a reward", async () => {
    const work = await call([user("work")]);
    await call([...work.messages, user("more")]);
    const title = await call([user("Write a title.")]);
    await proxy.reward(session, 1);
    await proxy.end(session);
    const batch = await proxy.post("/export_batch", { session_ids: [session.id] });
    const { metadata } = readSafetensors(batch.raw);
    const roots = { count: 1, first: [{ session_id: session.id, interaction_id: work.id }] };
    expect(JSON.parse(metadata["unrewarded_roots"] ?? "")).toEqual(roots);
    expect(JSON.parse(metadata["rewards_missing"] ?? "")).toEqual([]);
    const reply = (await proxy.export(session)).json<WireExport & Record<string, unknown>>();
    expect(reply["unrewarded_roots"]).toEqual([work.id]);
    expect(reply.interactions[title.id]?.reward).toBe(1);
    const text = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
    expect(text).toContain("\nrolltape_export_unrewarded_roots_total 2\n");
  });
});

describe("rewards in JSON", () => {
  it("are written with float64 precision", async () => {
    const first = await call([user("a")]);
    const second = await call([...first.messages, user("b")]);
    const third = await call([...second.messages, user("c")]);
    await proxy.reward(session, 1);
    const { interactions } = await exported({ discount: 0.9 });
    expect([first, second, third].map(({ id }) => interactions[id]?.reward)).toEqual([0.81, 0.9, 1]);
  });
});
