import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runRolltape } from "../rolltape.js";
import { readBatch, rolloutJob, TIMES } from "./rollout-job.js";

const VARIED = `${fileURLToPath(new URL("./agents/varied.mjs", import.meta.url))}#agent`;
const GROUPS = ["--agent", VARIED, "--group-size", "2"];

describe("filters of rolltape rollout", TIMES, () => {
  it("leaves out groups whose episodes have equal rewards with drop_zero_variance, and counts them", async () => {
    const { out, args } = rolloutJob([{ rewards: [1] }, { rewards: [0, 1] }, { rewards: [2] }]);
    const ended = await runRolltape([...args, ...GROUPS, "rollout.drop_zero_variance=true"]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards?.toSorted()).toEqual([0, 1]);
    expect(ended.stdout).toMatch(/^episodes +6 accepted, 0 rejected$/m);
    expect(ended.stdout).toMatch(
      /^left out +4 episodes were left out because 2 groups had equal rewards: rollout\.drop_zero_variance=false keeps them$/m,
    );
    expect(ended.stdout).not.toContain("Advantages within such a group are 0");
  });

  it("writes no batch if nothing is left, and says why", async () => {
    const { out, args } = rolloutJob([{ rewards: [1] }, { rewards: [2] }]);
    const ended = await runRolltape([...args, ...GROUPS, "rollout.drop_zero_variance=true"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("4 episodes were left out because 2 groups had equal rewards");
    expect(existsSync(out)).toBe(false);
  });

  it("leaves out answers that a limit cut with export_filters.overlong, and counts them", async () => {
    const { out, args } = rolloutJob([{ rewards: [1], limit: 2 }, { rewards: [3] }]);
    const ended = await runRolltape([...args, "--agent", VARIED, "rollout.agent.export_filters.overlong=drop"]);
    expect(ended).toMatchObject({ code: 0 });
    expect(readBatch(out).rewards).toEqual([3]);
    expect(ended.stdout).toMatch(/^left out +1 model call was left out by rollout\.agent\.export_filters$/m);
  });
});
