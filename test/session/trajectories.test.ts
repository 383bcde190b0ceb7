import { expect, it } from "vitest";
import type { ExportSummary } from "../../src/session/batch/batch-metadata.js";
import { batchOptionsSchema } from "../../src/session/batch/batch-options.js";
import { packTrajectories, type TrajectoriesOptions } from "../../src/session/batch/trajectories.js";
import { Session } from "../../src/session/session.js";
import { LocalSession } from "../../src/session/trajectory-store.js";
import { assistant, turn, user } from "../helpers/turn.js";

/** A session with a conversation of two turns, whose first one is rewarded, and a second tree without a reward. */
function recordSession(): Session {
  const session = new Session({ id: "s", taskId: "task" });
  const local = new LocalSession(session);
  local.record({ ...turn([user("a")], [1], [2]), interactionId: "a", model: "large" });
  local.record({ ...turn([user("a"), assistant("ok"), user("b")], [1, 2, 3], [4]), interactionId: "b" });
  local.record({ ...turn([user("c")], [5], [6]), interactionId: "c", model: "small" });
  local.setReward(1, "a");
  session.end();
  return session;
}

async function pack(session: Session, options: Partial<TrajectoriesOptions> = {}) {
  const defaults = batchOptionsSchema.parse({});
  const bytes = await packTrajectories(session, { ...defaults, includeMessages: false, ...options });
  return JSON.parse(bytes.toString()) as Record<string, unknown> & {
    interactions: Record<string, Record<string, unknown>>;
  };
}

it("exports a session as JSON, with what the export leaves out", async () => {
  const session = recordSession();
  session.delivery.closedEarly(2);
  session.count("abortedCalls");
  const summaries: ExportSummary[] = [];
  const { interactions, ...head } = await pack(session, { model: "m", onPlanned: (each) => summaries.push(each) });
  expect(head).toEqual({
    session_id: "s",
    task_id: "task",
    group_id: null,
    split: "train",
    model: "m",
    style: "individual",
    discount: 1,
    session_reward: null,
    rewards_missing: false,
    unrewarded_roots: [],
    left_out: [
      {
        interaction_id: "c",
        reason: "undelivered",
        parent_id: null,
        created_at: session.interaction(2).createdAt / 1000,
        finish_reason: "stop",
      },
    ],
    incomplete_calls: 0,
    aborted_calls: 1,
  });
  expect(summaries).toMatchObject([{ leftOut: { undelivered: 1 } }]);
  expect(Object.keys(interactions)).toEqual(["a", "b"]);
  const [a, b] = [interactions["a"], interactions["b"]];
  expect(a).toMatchObject({ parent_id: null, compacted_from: null, token_exact: false, reward: 1, own_reward: 1 });
  expect(b).toMatchObject({ parent_id: "a", token_exact: true, reward: 0, own_reward: null, prompt_tokens: 3 });
  expect([a?.["requested_model"], b?.["requested_model"]]).toEqual(["large", null]);
  for (const absent of ["messages", "output_message_list", "images"]) expect(a).not.toHaveProperty(absent);
});

it("names the trees without a reward, also if filters remove their interactions in part", async () => {
  expect(await pack(recordSession())).toMatchObject({ unrewarded_roots: ["c"], session_reward: null });
  const filtered = await pack(recordSession(), { excludeModels: ["small"] });
  expect(filtered).toMatchObject({
    unrewarded_roots: [],
    filters: { exclude_models: ["small"] },
    filtered: 1,
    rewards_filtered: false,
  });
  expect(await pack(recordSession(), { excludeModels: ["large"] })).toMatchObject({
    unrewarded_roots: ["c"],
    rewards_filtered: true,
  });
});

it("has the rows of style concat whose reward leaves out rewards of earlier turns", async () => {
  const packed = await pack(recordSession(), { style: "concat" });
  expect(packed).toMatchObject({ concat_reward: "leaf", uncounted_rewards: ["b"] });
  expect(Object.keys(packed.interactions)).toEqual(["b", "c"]);
  const counted = await pack(recordSession(), { style: "concat", concatReward: "return" });
  expect(counted).toMatchObject({ concat_reward: "return", uncounted_rewards: [] });
});

it("has the messages if they are asked for", async () => {
  const { interactions } = await pack(recordSession(), { includeMessages: true });
  expect(interactions["b"]).toMatchObject({
    messages: [user("a"), assistant("ok"), user("b")],
    output_message_list: [assistant("ok")],
  });
});

it("has no interactions if none is left", async () => {
  const { interactions, session_id } = await pack(recordSession(), { models: ["none"] });
  expect([interactions, session_id]).toEqual([{}, "s"]);
});
