import { describe, expect, it } from "vitest";
import { SchedulerError } from "../../../src/scheduler/errors.js";
import { type JobInput, jobSchema } from "../../../src/scheduler/job.js";
import { listGroups } from "../../../src/scheduler/slurm/layout.js";
import { submit } from "../../../src/scheduler/slurm/submit.js";
import { temporaryFolder } from "../../cli/rolltape.js";

type Groups = NonNullable<NonNullable<JobInput["slurm"]>["groups"]>;

function job(groups: Groups | null, counts: { proxy?: number; rollout?: number } = {}) {
  const role = (name: JobInput["roles"][number]["role"], count = 1) => ({ role: name, count, command: ["true"] });
  const roles = [role("controller"), role("proxy", counts.proxy ?? 2), role("rollout", counts.rollout ?? 2)];
  return jobSchema.parse({ folder: temporaryFolder(), roles, slurm: { groups } });
}

function listProblems(groups: Groups, counts?: Parameters<typeof job>[1]): string {
  try {
    listGroups(job(groups, counts));
    return "";
  } catch (error) {
    return error instanceof SchedulerError && error.code === "job_invalid" ? error.message : String(error);
  }
}

describe("groups of machines", () => {
  it("default to one machine for all roles", () => {
    expect(listGroups(job(null))).toEqual([{ roles: ["controller", "proxy", "rollout"], nodes: 1, options: [] }]);
  });

  it.each<[string, Groups, RegExp]>([
    ["a role in no group", [{ roles: ["proxy", "rollout"], nodes: 1 }], /controller is in none/],
    [
      "a role in two groups",
      [
        { roles: ["proxy", "rollout", "controller"], nodes: 1 },
        { roles: ["controller"], nodes: 1 },
      ],
      /controller is in several/,
    ],
    [
      "a role that the job does not have",
      [{ roles: ["proxy", "rollout", "controller", "engine"], nodes: 1 }],
      /expected roles of the job \(controller, proxy, rollout\), got engine/,
    ],
    [
      "proxies in another group than rollout workers",
      [
        { roles: ["proxy", "controller"], nodes: 1 },
        { roles: ["rollout"], nodes: 1 },
      ],
      /expected proxy and rollout in the same group/,
    ],
  ])("refuse %s before the job is submitted", async (_, groups, message) => {
    expect(listProblems(groups)).toMatch(message);
    await expect(submit(job(groups))).rejects.toMatchObject({ code: "job_invalid" });
  });

  it("require a proxy on the machine of each rollout worker", () => {
    const groups = (nodes: number): Groups => [{ roles: ["proxy", "rollout", "controller"], nodes }];
    expect(listProblems(groups(3), { proxy: 2, rollout: 4 })).toMatch(
      /rollout workers \(4\), or a multiple of the machines \(3\).*got 2 proxies/,
    );
    expect(listProblems(groups(2), { proxy: 2, rollout: 4 })).toBe("");
    expect(listProblems(groups(4), { proxy: 4, rollout: 4 })).toBe("");
    expect(listProblems(groups(3), { proxy: 3, rollout: 2 })).toBe("");
  });
});
