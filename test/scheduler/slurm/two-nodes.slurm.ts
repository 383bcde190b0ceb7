import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type JobSpec, jobSchema } from "../../../src/scheduler/job.js";
import type { JobState } from "../../../src/scheduler/slurm/job-state.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import {
  batchSessions,
  processLines,
  readEpisodes,
  readProcesses,
  readRegistrations,
  rolloutJob,
  WHOLE_ON_TWO_MACHINES,
} from "../job.js";
import { eventually, jobsLeft, killNode, processesOn, slurm, startNode } from "./cluster.js";
import { runSlurmJob } from "./compiled.js";
import { announcing, readLines, shell, smallJob } from "./small-job.js";

const EVERYTHING = ["proxy", "rollout", "gateway", "controller"] as const;

function onTwoNodes(job: Parameters<typeof rolloutJob>[0]): JobSpec {
  return jobSchema.parse({
    ...rolloutJob(job),
    slurm: { poll_seconds: 0.3, groups: [{ roles: EVERYTHING, nodes: 2 }] },
  });
}

afterEach(async () => {
  for (const job of jobsLeft()) slurm("scancel", job);
  await eventually(() => jobsLeft().length === 0 && ["n1", "n2"].every((node) => processesOn(node).length === 0));
});

describe("a whole rollout over Slurm", () => {
  it("runs a proxy with an embedded engine next to each rollout worker, and writes one batch", async () => {
    const folder = temporaryFolder();
    const states: JobState[] = [];
    await runSlurmJob(onTwoNodes({ folder, workers: 2, tasks: 6 }), { onState: (_, state) => states.push(state) });
    const episodes = readEpisodes(folder);
    expect(episodes.map(({ error }) => error)).toEqual(Array.from({ length: 6 }, () => undefined));
    expect(batchSessions(folder)).toEqual(episodes.map(({ session_id }) => session_id));
    expect(processLines(folder)).toEqual(WHOLE_ON_TWO_MACHINES);
    // The last poll may already see the job complete.
    expect(states).toContainEqual(expect.objectContaining({ state: "RUNNING", nodes: "n[1-2]" }));
    // Proxies that were stopped in order have removed their registrations.
    expect(readdirSync(join(folder, "workers"))).toEqual([]);
    expect(jobsLeft()).toEqual([]);
  });

  it("goes on when the node of a proxy worker dies, and writes the episodes of the other nodes", async () => {
    const folder = temporaryFolder();
    const job = onTwoNodes({ folder, workers: 2, tasks: 16, pauseMilliseconds: 300, restarts: 1 });
    const running = runSlurmJob(job);
    await until(
      () => readdirSync(folder).includes("episodes") && readEpisodes(folder).some(({ worker }) => worker === 1),
    );
    const lostProxy = readRegistrations(folder).find(({ pid }) => processesOn("n2").includes(pid));
    killNode("n2");
    await running;
    await startNode("n2");
    const lost = readProcesses(folder).filter(({ node }) => node === "n2");
    expect(lost.map(({ role, state }) => `${role} ${state}`)).toEqual(["proxy lost", "rollout lost"]);
    const episodes = readEpisodes(folder);
    const onFirst = episodes.filter(({ worker }) => worker === 0).map(({ task }) => task);
    expect(onFirst).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    const finished = episodes.flatMap(({ session_id }) => session_id ?? []);
    const kept = finished.filter((id) => !id.includes(`-${lostProxy?.tag}-`));
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(batchSessions(folder)).toEqual(kept);
  });
});

describe("a job of Slurm", () => {
  it("is heterogeneous: each engine has a GPU of its own on the machine of its group", async () => {
    const folder = temporaryFolder();
    const announce = announcing("engine-{index}").at(-1) ?? "";
    const job = smallJob(
      folder,
      [
        {
          role: "engine",
          count: 2,
          command: shell(`echo gpu $CUDA_VISIBLE_DEVICES >> {folder}/log; ${announce}`),
          ready: "line",
        },
        { role: "controller", command: shell("echo '{engine_urls}' >> {folder}/log") },
      ],
      {
        poll_seconds: 0.3,
        groups: [
          { roles: ["controller"], nodes: 1 },
          { roles: ["engine"], nodes: 1, options: ["--gres=gpu:2", "--cpus-per-task=2"] },
        ],
        step_options: { engine: ["--exact", "--gres=gpu:1"] },
      },
    );
    await runSlurmJob(job);
    const engines = readProcesses(folder).filter(({ role }) => role === "engine");
    const [controller] = readProcesses(folder).filter(({ role }) => role === "controller");
    expect(new Set(engines.map(({ node }) => node)).size).toBe(1);
    expect(engines[0]?.node).not.toBe(controller?.node);
    expect(
      readLines(folder)
        .filter((line) => line.startsWith("gpu"))
        .sort(),
    ).toEqual(["gpu 0", "gpu 1"]);
    const urls = JSON.parse(readLines(folder).find((line) => line.startsWith("[")) ?? "") as string[];
    const address = engines[0]?.node === "n1" ? "127.0.0.1" : "127.0.0.2";
    expect(urls.map((url) => new URL(url).hostname)).toEqual([address, address]);
    // They stopped in order: Slurm's signal reached them directly. srun would have killed them.
    expect(
      readLines(folder)
        .filter((line) => line.startsWith("stop"))
        .sort(),
    ).toEqual(["stop engine-0", "stop engine-1"]);
  });

  it("stops its roles in order when it is stopped, and leaves nothing running", async () => {
    const folder = temporaryFolder();
    const stop = new AbortController();
    const job = smallJob(
      folder,
      [
        { role: "engine", command: announcing("engine"), ready: "line" },
        { role: "proxy", command: announcing("proxy"), ready: "line" },
        { role: "controller", command: shell("echo up >> {folder}/log; exec sleep 600") },
      ],
      { poll_seconds: 0.3 },
    );
    const failed = runSlurmJob(job, { signal: stop.signal }).catch((error: unknown) => error);
    await until(() => readLines(folder).includes("up"));
    stop.abort();
    expect(await failed).toMatchObject({ code: "job_stopped" });
    expect(readLines(folder).slice(-2)).toEqual(["stop proxy", "stop engine"]);
    expect(jobsLeft()).toEqual([]);
  });

  it("restarts when it is requeued", async () => {
    const folder = temporaryFolder();
    const script = "echo up $SLURM_JOB_ID >> {folder}/log; [ -e {folder}/go ] || exec sleep 600";
    const job = smallJob(folder, [{ role: "controller", command: shell(script) }], { poll_seconds: 0.3 });
    const running = runSlurmJob(job);
    await until(() => readLines(folder).some((line) => line.startsWith("up")));
    const id = readLines(folder).join().replace("up ", "");
    writeFileSync(join(folder, "go"), "");
    slurm("scontrol", "requeue", id);
    await eventually(() => slurm("squeue", "--noheader", `--jobs=${id}`, "--format=%T") === "PENDING");
    // Slurm itself would wait two minutes. A start in the same second would be refused by the node.
    await sleep(3_000);
    slurm("scontrol", "update", `jobid=${id}`, "starttime=now");
    await running;
    expect(readLines(folder)).toEqual([`up ${id}`, `up ${id}`]);
    expect(JSON.parse(readFileSync(join(folder, "outcome.json"), "utf8"))).toMatchObject({
      state: "done",
      requeues: 1,
    });
  });

  it("is refused or cancelled if it can never be placed", async () => {
    const place = (options: string[], nodes = 1) =>
      runSlurmJob(
        smallJob(temporaryFolder(), [{ role: "controller", command: shell("true") }], {
          poll_seconds: 0.3,
          groups: [{ roles: ["controller"], nodes, options }],
        }),
      );
    await expect(place(["--partition=nowhere"])).rejects.toMatchObject({
      code: "job_unplaced",
      message: expect.stringContaining("Invalid partition name") as string,
    });
    await expect(place(["--gres=gpu:9"])).rejects.toMatchObject({
      code: "job_unplaced",
      message: expect.stringContaining("node configuration is not available") as string,
    });
    await expect(place([], 5)).rejects.toMatchObject({
      code: "job_unplaced",
      message: expect.stringContaining("PartitionConfig") as string,
    });
    expect(jobsLeft()).toEqual([]);
  });
});
