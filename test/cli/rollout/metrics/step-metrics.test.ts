import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeEpisodes, METRIC_NAMES } from "../../../../src/cli/rollout/metrics/step-metrics.js";

/** A task whose episodes have these rewards; the first is given in two parts. */
const task = (version: number, name: string, rewards: readonly number[]) => ({
  version,
  accepted: rewards.map((reward, index) => ({
    sessionId: `${name}${index}`,
    url: "",
    interactionCount: 2,
    rewards: new Map([
      ["a", reward - 1],
      ["b", 1],
    ]),
  })),
});

describe("describeEpisodes", () => {
  it("describes rewards by episode, groups with equal rewards and staleness", () => {
    const tasks = [task(3, "x", [0, 1, 2]), task(1, "y", [1, 1]), task(3, "z", [5])];
    // z0 was lost, and x2 was left out.
    expect(describeEpisodes({ version: 3, tasks, sessionIds: ["x0", "x1", "y0", "y1"] })).toEqual({
      "reward/mean": 0.75,
      "reward/min": 0,
      "reward/max": 1,
      "episodes/accepted": 4,
      "groups/zero_variance_share": 0.5,
      "staleness/mean": 2 / 3,
      "staleness/max": 2,
    });
  });

  it("has no share of groups if each task has one episode", () => {
    const metrics = describeEpisodes({ version: 0, tasks: [task(0, "x", [1])], sessionIds: ["x0"] });
    expect(metrics).not.toHaveProperty("groups/zero_variance_share");
  });
});

describe("the documentation of metrics", () => {
  it("has each name once, in their order", () => {
    const page = readFileSync(new URL("../../../../docs/reference/rollout.md", import.meta.url), "utf8");
    const [, section = ""] = page.split("\n## Metrics\n");
    const [table = ""] = section.split("\n## ");
    const names = [...table.matchAll(/^\| `([a-z]+\/[a-z_]+)`/gm)].map(([, name]) => name);
    expect(names).toEqual(METRIC_NAMES);
  });
});
