import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { AGENT, readBatch, rolloutJob } from "../../cli/rollout/rollout-job.js";
import { rolltape } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { readProcesses } from "../job.js";
import { eventually, jobsLeft, killNode, processesOn, slurm, startNode } from "./cluster.js";

afterEach(async () => {
  for (const job of jobsLeft()) slurm("scancel", job);
  await eventually(() => jobsLeft().length === 0 && ["n1", "n2"].every((node) => processesOn(node).length === 0));
});

describe("rolltape rollout scheduler.type=slurm", () => {
  it("has every task in the batch when a node dies", async () => {
    const { args, out, folder } = rolloutJob([]);
    const [jobFolder, gate] = [join(folder, "job"), join(folder, "gate")];
    // The first tasks end before the node dies, so that it also loses sessions that were accepted.
    const tasks = Array.from({ length: 12 }, (_, reward) => ({
      question: "?",
      reward,
      ...(reward < 4 ? {} : { until: gate }),
    }));
    writeFileSync(join(folder, "tasks.jsonl"), tasks.map((task) => JSON.stringify(task)).join("\n"));
    const keys = [
      "scheduler.type=slurm",
      "rollout.lease_seconds=3",
      // Fewer than the eight tasks that wait, so that neither worker gets them all.
      "rollout.worker_concurrency=6",
    ];
    const more = ["--agent", AGENT, "--job-folder", jobFolder, "--nodes", "2", ...keys];
    const running = rolltape([...args, ...more], process.env as Record<string, string>);
    const readLog = (name: string) => {
      const file = join(jobFolder, "logs", name);
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };
    const waiting = (index: number) => readLog(`rollout-${index}.err`).match(/an agent waits on/g)?.length ?? 0;
    await until(() => waiting(0) + waiting(1) >= 8 && readLog("controller-0.err").includes("episodes 4/12"));
    const onSecond = waiting(1);
    killNode("n2");
    writeFileSync(gate, "");
    const ended = await running.ended;
    await startNode("n2");
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).toMatch(/^episodes +12 accepted, 0 rejected\n/);
    expect(onSecond).toBeGreaterThan(0);
    expect([...new Set(readBatch(out).rewards)]).toEqual(tasks.map(({ reward }) => reward));
    // Also tasks whose finished sessions were on the node ran again.
    const tags = readBatch(out).sessions.map((session) => session.split("-").at(-2));
    expect(new Set(tags).size).toBe(1);
    const nodes = readProcesses(jobFolder).map(({ role, node }) => `${role} ${node}`);
    expect(nodes).toEqual(["proxy n1", "proxy n2", "gateway n1", "rollout n1", "rollout n2", "controller n1"]);
  });
});
