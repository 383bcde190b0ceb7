import { describe, expect, it } from "vitest";
import { summarizeEpisode } from "../../src/transcript/summarize.js";
import { episode, interaction } from "./lines.js";

describe("the summary of an episode", () => {
  it("counts its calls, and leaves its texts out", () => {
    const summary = summarizeEpisode(
      episode({
        error: { code: "agent_error", message: "secret", stack: "at agent.js" },
        accepted: false,
        interactions: [
          interaction({ versions: [3, 4] }),
          interaction({ parent: 0, token_exact: false, cause: "other", finish_reason: "tool_calls", versions: [2, 3] }),
          interaction({ parent: 0, left_out: "retried" }),
          interaction({ parent: 1 }),
        ],
      }),
    );
    expect(summary).toEqual({
      type: "episode",
      session_id: "task-0-0",
      task: 0,
      task_id: "task-0",
      accepted: false,
      version: 0,
      error: "agent_error",
      reward: null,
      calls: 4,
      turns: 3,
      prompt_tokens: 20,
      completion_tokens: 8,
      finish_reasons: { stop: 3, tool_calls: 1 },
      broken: 1,
      left_out: 1,
      branches: 1,
      versions: [2, 4],
    });
  });

  const side = interaction({ reward: 5, own_reward: 5 });
  const main = [interaction({ reward: 2 }), interaction({ parent: 1, reward: 2, own_reward: 2 })];
  it.each([
    ["the session's reward and all own rewards", { session_reward: 0.5, interactions: [side, ...main] }, 7.5],
    ["all own rewards, undiscounted", { interactions: [side, ...main] }, 7],
    ["that of a side call if only it has one", { interactions: [side, interaction(), interaction({ parent: 1 })] }, 5],
    ["0 if rewards cancel out", { session_reward: -5, interactions: [side] }, 0],
    ["null without a reward", {}, null],
    ["null without calls", { interactions: [] }, null],
  ])("has as reward %s", (_, fields, reward) => {
    expect(summarizeEpisode(episode(fields)).reward).toBe(reward);
  });
});
