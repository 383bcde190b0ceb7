import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
});
afterEach(() => proxy.close());

const turn = (messages: readonly object[]) => proxy.turn(session, messages);

const user = (content: string) => ({ role: "user", content });

async function exportRewards(options: object): Promise<Record<string, number>> {
  const { interactions } = (await proxy.export(session, options)).json<WireExport>();
  return Object.fromEntries(Object.values(interactions).map((each) => [each.interaction_id, each.reward]));
}

describe("set_reward", () => {
  it("returns 400 before any completion, and for an unknown interaction", async () => {
    expect((await proxy.reward(session, 1)).refusal).toBe("400 no_interactions");
    const { id } = await turn([user("a")]);
    expect((await proxy.reward(session, 1, "chatcmpl-unknown")).refusal).toBe("400 interaction_not_found");
    expect((await proxy.reward(session, 1, id)).json()).toEqual({ interaction_id: id, reward: 1 });
  });

  it.each([
    ["a boolean", true],
    ["a string", "1.5"],
    ["an object", {}],
    ["nothing", undefined],
    ["null", null],
    ["more than a float32 holds", 1e300],
    ["a little more than a float32 holds", 3.4028235e38],
  ])("refuses %s and keeps the earlier reward", async (_, value) => {
    const { id } = await turn([user("a")]);
    await proxy.reward(session, 0.25);
    const refused = await proxy.reward(session, value);
    expect(refused.refusal).toBe("400 invalid_value");
    expect(refused.error.param).toBe("reward");
    await proxy.end(session);
    expect(await exportRewards({})).toEqual({ [id]: 0.25 });
  });

  it.each(["1e999", "-1e999", "NaN", "Infinity"])("refuses %s", async (literal) => {
    await turn([user("a")]);
    const payload = `{"reward": ${literal}}`;
    const headers = { "content-type": "application/json" };
    const reply = await proxy.request({ method: "POST", url: "/rl/set_reward", payload, headers }, session.key);
    expect(reply.status).toBe(400);
  });

  it("accepts integers and negative numbers, and replaces an earlier value", async () => {
    const { id } = await turn([user("a")]);
    await proxy.reward(session, 3);
    await proxy.reward(session, -2);
    await proxy.end(session);
    expect(await exportRewards({})).toEqual({ [id]: -2 });
  });

  it("rewards the last completed call, not one that started later and is in flight or failed", async () => {
    const first = await turn([user("a")]);
    proxy.engine.replies.push(new Error("the engine broke"));
    expect((await proxy.chat(session, [user("b")])).status).toBe(500);
    const release = proxy.engine.hold();
    const running = proxy.chat(session, [user("c")]);
    await until(() => proxy.engine.calls.length === 3);
    expect((await proxy.reward(session, 1)).json()).toEqual({ interaction_id: first.id, reward: 1 });
    release();
    await running;
  });
});

describe("back-propagation", () => {
  it("returns 0.81, 0.9, 1 for a chain with discount 0.9", async () => {
    const a = await turn([user("1")]);
    const b = await turn([...a.messages, user("2")]);
    const c = await turn([...b.messages, user("3")]);
    await proxy.reward(session, 1);
    await proxy.end(session);
    const rewards = await exportRewards({ discount: 0.9 });
    expect(rewards[c.id]).toBe(1);
    expect(rewards[b.id]).toBeCloseTo(0.9, 6);
    expect(rewards[a.id]).toBeCloseTo(0.81, 6);
  });

  it("follows the tree, not the order of calls", async () => {
    const root = await turn([user("root")]);
    const a = await turn([...root.messages, user("a")]);
    const b = await turn([...root.messages, user("b")]);
    await proxy.reward(session, 1, b.id);
    await proxy.end(session);
    expect(await exportRewards({ discount: 0.5 })).toEqual({ [root.id]: 0.5, [a.id]: 0, [b.id]: 1 });
  });

  it("starts from the own rewards in every export", async () => {
    const a = await turn([user("1")]);
    const b = await turn([...a.messages, user("2")]);
    await proxy.reward(session, 1, a.id);
    await proxy.reward(session, 2, b.id);
    await proxy.end(session);
    expect(await exportRewards({ discount: 0.5 })).toEqual({ [a.id]: 2, [b.id]: 2 });
    expect(await exportRewards({ discount: 1 })).toEqual({ [a.id]: 3, [b.id]: 2 });
    expect(await exportRewards({ discount: 0.5 })).toEqual({ [a.id]: 2, [b.id]: 2 });
    const { interactions } = (await proxy.export(session, { discount: 0.5 })).json<WireExport>();
    expect(interactions[a.id]?.own_reward).toBe(1);
    expect(interactions[a.id] && numbers(interactions[a.id] as never, "rewards")).toEqual([2]);
  });

  describe("is refused if a reward exceeds float32", () => {
    /** Rewards two turns of one conversation, and a third call that branches off the first. */
    async function rewardTree(rewards: readonly [number, number, number]): Promise<readonly string[]> {
      const a = await turn([user("1")]);
      const b = await turn([...a.messages, user("2")]);
      const c = await turn([...a.messages, user("3")]);
      const ids = [a.id, b.id, c.id];
      for (const [i, reward] of rewards.entries()) await proxy.reward(session, reward, ids[i]);
      await proxy.end(session);
      return ids;
    }

    it("with the ids of session and interaction, and the session stays exportable", async () => {
      const [a] = await rewardTree([3e38, 3e38, 0]);
      const refused = await proxy.export(session, { discount: 1 });
      expect(refused.refusal).toBe("422 reward_overflow");
      expect(refused.error["sessions"]).toEqual([session.id]);
      expect(refused.error["interactions"]).toEqual([{ session_id: session.id, interaction_id: a }]);
      expect(refused.error["message"]).toContain(`interaction ${a} (session ${session.id})`);
      expect((await proxy.export(session, { discount: 0 })).status).toBe(200);
    });

    it("also if only the return of a row does, because another branch has a negative reward", async () => {
      const [, b] = await rewardTree([3e38, 3e38, -3e38]);
      const refused = await proxy.export(session, { style: "concat", concat_reward: "return", on_mismatch: "split" });
      expect(refused.refusal).toBe("422 reward_overflow");
      expect(refused.error["interactions"]).toEqual([{ session_id: session.id, interaction_id: b }]);
    });

    it("and no other session of the batch is named", async () => {
      const other = await proxy.session();
      await proxy.turn(other, [user("other")]);
      await proxy.reward(other, 1);
      await proxy.end(other);
      const [a] = await rewardTree([3e38, 3e38, 0]);
      const refused = await proxy.post("/export_batch", { session_ids: [other.id, session.id] });
      expect(refused.refusal).toBe("422 reward_overflow");
      expect(refused.error["interactions"]).toEqual([{ session_id: session.id, interaction_id: a }]);
    });
  });

  it("returns zeros and rewards_missing without any reward", async () => {
    const a = await turn([user("1")]);
    await proxy.end(session);
    const exported = (await proxy.export(session)).json<WireExport>();
    expect(exported.rewards_missing).toBe(true);
    expect(exported.interactions[a.id]).toMatchObject({ reward: 0, own_reward: null });
  });
});
