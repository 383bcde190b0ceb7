import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/client/admin-client.js";
import { SessionClient } from "../../src/client/session-client.js";
import type { Transport } from "../../src/client/transport.js";

/** Returns the transport of a proxy that gives every call the same answer. */
function answerWith(reply: object): Transport {
  return { send: () => Promise.resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) }) };
}

const tensor = (dtype: string, shape: number[], bytes: number) => ({
  type: "tensor",
  dtype: `torch.${dtype}`,
  shape,
  data: Buffer.alloc(bytes).toString("base64"),
});

const INTERACTION = {
  interaction_id: "a",
  parent_id: null,
  token_exact: false,
  reward: 0.81,
  own_reward: 0.81,
  api: "messages",
  created_at: 1.5,
  finish_reason: "stop",
  tensor_dict: {
    input_ids: tensor("int32", [1, 1], 4),
    loss_mask: tensor("int32", [1, 1], 4),
    logprobs: tensor("float32", [1, 1], 4),
    versions: tensor("int32", [1, 1], 4),
    attention_mask: tensor("bool", [1, 1], 1),
    rewards: tensor("float32", [1], 4),
  },
};
const REPLY = { session_id: "s", rewards_missing: false, incomplete_calls: 0, interactions: { a: INTERACTION } };

const admin = (reply: object) => new AdminClient(answerWith(reply), "key");

describe("the answer of another version's proxy", () => {
  it("leaves fields undefined that an older proxy does not send", async () => {
    const interactions = await admin(REPLY).exportTrajectories("s");
    expect(interactions).toMatchObject({ rewardsMissing: false, incompleteCalls: 0 });
    const { sessionReward, unrewardedRoots, uncountedRewards, leftOut, abortedCalls } = interactions;
    expect([sessionReward, unrewardedRoots, uncountedRewards, leftOut, abortedCalls]).toEqual(Array(5).fill(undefined));
    expect([interactions.filtered, interactions.rewardsFiltered]).toEqual([0, false]);
    const interaction = interactions.get("a");
    expect(interaction).toMatchObject({ reward: 0.81, api: "messages" });
    expect(Object.keys(interaction?.toTensorDict() ?? {})).toContain("input_ids");
    const { requestedModel, droppedTools, attempt, latency, cause, sampling } = interaction ?? {};
    expect([requestedModel, droppedTools, attempt, latency, cause, sampling]).toEqual(Array(6).fill(undefined));
  });

  it("lists left-out calls, and reads an unknown kind of log probabilities as unknown", async () => {
    const sampling = {
      temperature: 1,
      sampling_temperature: 0,
      greedy: true,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      seed: null,
      frequency_penalty: 0,
      presence_penalty: 0,
      max_tokens: 0,
      grammar: false,
      logprob_content: "of another kind",
      overridden: true,
    };
    const left_out = [
      { interaction_id: "b", reason: "undelivered", parent_id: "a", created_at: 2, finish_reason: "stop" },
    ];
    const interactions = await admin({
      ...REPLY,
      left_out,
      interactions: { a: { ...INTERACTION, sampling, attempt: 2, latency: 0.25, cause: "tools_changed" } },
    }).exportTrajectories("s");
    expect(interactions.leftOut).toEqual([
      { id: "b", reason: "undelivered", parentId: "a", createdAt: 2, finishReason: "stop" },
    ]);
    const interaction = interactions.get("a");
    expect(interaction).toMatchObject({ attempt: 2, latency: 0.25, cause: "tools_changed" });
    expect(interaction?.sampling).toMatchObject({
      greedy: true,
      overridden: true,
      seed: undefined,
      repetitionPenalty: 1,
      minTokens: 0,
      ignoreEos: false,
      logitBias: false,
      thinkingBudget: undefined,
      logprobs: "unknown",
    });
  });

  it("says what the export left out, and has undefined for what is null", async () => {
    const nothing = { session_reward: null, model: null };
    const root = { interaction_id: "b", reason: "retried", parent_id: null, created_at: 2, finish_reason: "stop" };
    const interactions = await admin({
      ...REPLY,
      ...nothing,
      unrewarded_roots: ["a"],
      uncounted_rewards: ["c"],
      left_out: [root],
      filtered: 3,
      rewards_filtered: true,
      aborted_calls: 4,
    }).exportTrajectories("s");
    expect(Object.fromEntries(Object.entries(interactions))).toStrictEqual({
      sessionReward: undefined,
      rewardsMissing: false,
      unrewardedRoots: ["a"],
      uncountedRewards: ["c"],
      leftOut: [{ id: "b", reason: "retried", parentId: undefined, createdAt: 2, finishReason: "stop" }],
      filtered: 3,
      rewardsFiltered: true,
      incompleteCalls: 0,
      abortedCalls: 4,
    });
    const session_reward = 0;
    expect((await admin({ ...REPLY, session_reward }).exportTrajectories("s")).sessionReward).toBe(0);
  });

  it("fails a session reward if an older proxy rewarded the last call instead", async () => {
    const session = new SessionClient(admin({ interaction_id: "a", reward: 1 }), {
      sessionId: "s",
      sessionApiKey: "k",
    });
    await expect(session.setSessionReward(1)).rejects.toMatchObject({ code: "invalid_reply" });
  });

  it("has sessions of other leases, if an older proxy ignores the filter, which are not deleted", async () => {
    const session = (session_id: string, lease_id: string | null, state: string) => ({ session_id, lease_id, state });
    const sessions = [
      session("a", "mine", "active"),
      session("b", "other", "active"),
      session("c", "mine", "ended"),
      session("d", "mine", "exported"),
      session("e", null, "active"),
    ];
    const paths: string[] = [];
    const transport: Transport = {
      send: (path, { method }) => {
        paths.push(`${method} ${path}`);
        const reply = method === "GET" ? { sessions } : { session_id: "a", state: "expired" };
        return Promise.resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(reply)) });
      },
    };
    expect(await new AdminClient(transport, "key").deleteLease("mine")).toBe(1);
    expect(paths).toEqual(["GET /rl/sessions?state=active&lease_id=mine", "DELETE /rl/sessions/a?lease_id=mine"]);
    paths.length = 0;
    expect(await new AdminClient(transport, "key").deleteLease("mine", { ended: true })).toBe(2);
    expect(paths.slice(1)).toEqual(["DELETE /rl/sessions/a?lease_id=mine", "DELETE /rl/sessions/c?lease_id=mine"]);
  });
});
