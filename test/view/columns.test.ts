import { describe, expect, it } from "vitest";
import { summarizeEpisode } from "../../src/transcript/summarize.js";
import { toColumns } from "../../src/view/columns.js";
import { episode, interaction } from "../transcript/lines.js";

describe("the columns of a list of episodes", () => {
  it("have one value for each episode, and each text once", () => {
    const first = summarizeEpisode(
      episode({
        session_id: "s-0",
        task: 3,
        task_id: "t",
        group_id: "g",
        version: 4,
        started_at: 10,
        duration: 2,
        session_reward: 0.5,
        interactions: [
          interaction({ versions: [2, 3] }),
          interaction({ parent: 0, token_exact: false, finish_reason: "length", left_out: "undelivered" }),
          interaction({ parent: 0 }),
        ],
      }),
    );
    const { session_id: _, ...anonymous } = episode({ task_id: "t", accepted: false, interactions: [] });
    const second = summarizeEpisode({ ...anonymous, error: { code: "t", message: "" } });
    const columns = toColumns(
      [
        [7, first],
        [9, second],
      ],
      ({ session_id: id }) => (id === undefined ? 1 : 2),
    );
    expect(columns).toEqual({
      texts: ["t", "g"],
      index: [7, 9],
      session_id: ["s-0", null],
      task: [3, 0],
      task_id: [0, 0],
      group_id: [1, -1],
      accepted: [true, false],
      error: [-1, 0],
      version: [4, 0],
      oldest_version: [2, null],
      newest_version: [3, null],
      batch: [2, 1],
      started_at: [10, null],
      duration: [2, null],
      reward: [0.5, null],
      calls: [3, 0],
      turns: [2, 0],
      prompt_tokens: [15, 0],
      completion_tokens: [6, 0],
      broken: [1, 0],
      left_out: [1, 0],
      branches: [1, 0],
      finish_reasons: { stop: [2, 0], length: [1, 0] },
    });
  });

  it("have at most 100 finish reasons", () => {
    const interactions = Array.from({ length: 101 }, (_, at) => interaction({ finish_reason: `reason-${at}` }));
    const other = [interaction({ finish_reason: "reason-99" }), interaction({ finish_reason: "reason-100" })];
    const episodes = [interactions, other].map((each) => summarizeEpisode(episode({ interactions: each })));
    const { finish_reasons: reasons, batch } = toColumns(episodes.map((each, index) => [index, each]));
    expect(Object.keys(reasons)).toHaveLength(100);
    expect(reasons["reason-99"]).toEqual([1, 1]);
    expect(batch).toEqual([-1, -1]);
  });
});
