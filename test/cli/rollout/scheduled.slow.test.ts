import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readProcesses } from "../../scheduler/job.js";
import { runRolltape } from "../rolltape.js";
import { AGENT, readBatch, rolloutJob, TIMES } from "./rollout-job.js";

describe("rolltape rollout --job-folder", TIMES, () => {
  it("runs proxies, a gateway, rollout workers and a controller as processes of this machine", async () => {
    const { args, out, folder } = rolloutJob([0, 1, 2, 3].map((reward) => ({ question: "?", reward })));
    const jobFolder = join(folder, "job");
    const more = [
      "--agent",
      AGENT,
      "--job-folder",
      jobFolder,
      "--proxy-workers",
      "2",
      "--workers",
      "2",
      "group_size=2",
    ];
    const ended = await runRolltape([...args, ...more]);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +8 accepted, 0 rejected\n/);
    expect([...new Set(readBatch(out).sessions)]).toHaveLength(8);
    expect([...new Set(readBatch(out).rewards)]).toEqual([0, 1, 2, 3]);
    const states = readProcesses(jobFolder).map(({ role, ended: how }) => `${role} ${how}`);
    expect(states).toEqual([
      "proxy ended with status 0",
      "proxy ended with status 0",
      "gateway ended with status 0",
      "rollout ended with status 0",
      "rollout ended with status 0",
      "controller ended with status 0",
    ]);
  });

  it("reports why the controller failed", async () => {
    const { args, folder } = rolloutJob([{ question: "?", fail: "no luck" }]);
    const jobFolder = join(folder, "job");
    const ended = await runRolltape([...args, "--agent", AGENT, "--job-folder", jobFolder]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /The controller ended with status 1\. Its log, [^]* ends with:\n[^]*batch\.safetensors\.errors\.jsonl/,
    );
    expect(readFileSync(join(jobFolder, "logs", "controller-0.err"), "utf8")).toContain("no luck");
  });

  it("refuses options of a job without its folder", async () => {
    const { args } = rolloutJob([{ question: "?" }]);
    expect(await runRolltape([...args, "--agent", AGENT, "--engines", "2"])).toMatchObject({
      code: 2,
      stderr: "rolltape: --engines requires --job-folder\n",
    });
  });
});
