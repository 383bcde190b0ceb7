import { describe, expect, it } from "vitest";
import { openPath } from "../../../src/view/sources/find-source.js";
import { runRolltape } from "../rolltape.js";
import { AGENT, rolloutJob, TIMES } from "./rollout-job.js";

const DISCOUNT = "rollout.agent.turn_discount=0.5";
const ID = /-[a-z0-9]{8}-\d+$/;

/** Returns the rewards of a file's episodes in the viewer, by task. */
async function viewed(path: string): Promise<Readonly<Record<string, number | null | undefined>>> {
  await using source = await openPath(path);
  const { episodes } = await source.overview();
  return Object.fromEntries(episodes.session_id.map((id, at) => [id?.replace(ID, "") ?? "", episodes.reward[at]]));
}

describe("the reward of an episode", TIMES, () => {
  it.each([
    ["individual", "padded", []],
    ["concat", "packed", ["rollout.agent.export_style=concat", "rollout.agent.concat_reward=return"]],
    ["individual", "tree", ["rollout.agent.reward_scope=session"]],
  ])("is what the agent returned in every report, style %s, layout %s", async (_, layout, options) => {
    const { out, args } = rolloutJob([
      { task_id: "a", question: "why?", reward: 1 },
      { task_id: "b", question: "how?", reward: 0 },
      { task_id: "c", question: "when?", rewards: [0.25, 0.5] },
    ]);
    const ended = await runRolltape([...args, "--agent", AGENT, "--layout", layout, DISCOUNT, ...options]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toContain("rewards   mean 0.583 per episode, from 0 to 1\n");
    expect(ended.stdout).toMatch(/^best +1 {4} +2 turns, a-/m);
    expect(ended.stdout).toMatch(/^median +0\.75 +2 turns, c-/m);
    const inspected = await runRolltape(["inspect", out]);
    expect(inspected.stdout).toMatch(/^rewards +min 0, median 0\.75, mean 0\.583333, max 1, by episode$/m);
    expect(inspected.stdout).toMatch(/^row rewards +min 0, .*, discounted$/m);
    const json = JSON.parse((await runRolltape(["inspect", out, "--json"])).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ episode_rewards: [1, 0, 0.75] });
    // The episodes of a transcript have the summaries of its index.
    expect(await viewed(`${out}.jsonl`)).toEqual({ a: 1, b: 0, c: 0.75 });
    expect(await viewed(out)).toEqual({ a: 1, b: 0, c: 0.75 });
  });
});
