import { describe, expect, it } from "vitest";
import { RolloutTally } from "../../../src/cli/rollout/tally.js";
import type { TaskResult } from "../../../src/job/task.js";
import { Rejection } from "../../../src/rollout/rejection.js";

const rejectedFor = (...codes: readonly ("agent_error" | "group_incomplete")[]) =>
  codes.map((code, index) => ({ sessionId: `r-${index}`, reason: new Rejection(code, "no") }));

function result(
  accepted: Readonly<Record<string, readonly number[]>>,
  rejected: TaskResult["rejected"] = [],
): TaskResult {
  return {
    index: 0,
    taskId: "t",
    version: 0,
    data: null,
    accepted: Object.entries(accepted).map(([sessionId, rewards]) => ({
      sessionId,
      rewards: new Map(rewards.map((reward, index) => [`i-${index}`, reward])),
    })),
    rejected,
  } as unknown as TaskResult;
}

describe("the counts of a job", () => {
  it("are those of its tasks and episodes", () => {
    const tally = new RolloutTally();
    tally.add(result({ a: [1, 0.5], b: [] }));
    tally.add(result({ c: [-1] }, rejectedFor("agent_error")));
    tally.add(result({}, rejectedFor("agent_error", "group_incomplete", "group_incomplete")));
    expect(tally).toMatchObject({ accepted: 3, rejected: 4, acceptedTasks: 2, rejectedTasks: 1, incompleteTasks: 1 });
    expect(tally).toMatchObject({ leftOutOfGroups: 2, incompleteGroups: 1 });
    expect(tally.rewards).toEqual([1.5, 0, -1]);
    expect(tally.rewardMean).toBeCloseTo(0.5 / 3);
    expect(tally.reasons.describe()).toEqual(["2 × agent_error: no", "  in task t"]);
  });

  it("are without a mean if no episode was accepted", () => {
    expect([new RolloutTally().rewardMean, new RolloutTally().rewards]).toEqual([undefined, []]);
  });

  it("lose a task that runs again", () => {
    const tally = new RolloutTally();
    const [whole, part] = [result({ a: [1] }), result({ b: [1] }, rejectedFor("agent_error"))];
    for (const each of [whole, part]) tally.add(each);
    tally.rerun(part);
    expect(tally).toMatchObject({ accepted: 1, rejected: 0, acceptedTasks: 1, incompleteTasks: 0, rerunTasks: 1 });
    tally.rerun(whole);
    expect(tally).toMatchObject({ accepted: 0, rejected: 0, acceptedTasks: 0, incompleteTasks: 0, rerunTasks: 2 });
    expect(tally.rewards).toEqual([]);
  });

  it("have the sessions that were lost, and those that were left out with them", () => {
    const tally = new RolloutTally();
    tally.lose(2, 1);
    tally.lose(1, 3);
    expect(tally).toMatchObject({ lost: 3, leftOut: 4 });
  });
});

describe("the reasons why episodes were left out", () => {
  it("are none at first", () => {
    expect(new RolloutTally().describeLeftOut()).toEqual([]);
  });

  it("are counted by episodes and groups, with the option that keeps them", () => {
    const tally = new RolloutTally();
    tally.add(result({}, rejectedFor("group_incomplete")));
    const none = { equal: [], equalGroups: 0, stale: [], staleGroups: 0 };
    tally.filter({ ...none, equal: ["a", "b"], equalGroups: 1 });
    tally.filter({ ...none, stale: Array<string>(999).fill("c"), staleGroups: 4 });
    tally.filter({ ...none, stale: ["d"], staleGroups: 1 });
    expect(tally.describeLeftOut()).toEqual([
      "1 episode was left out because 1 group was incomplete: drop_incomplete_group=false keeps them",
      "2 episodes were left out because 1 group had equal rewards: rollout.drop_zero_variance=false keeps them",
      "1,000 episodes were left out because 5 groups were stale: a higher rollout.max_token_staleness keeps them",
    ]);
  });
});
