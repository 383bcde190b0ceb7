import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { jobSchema } from "../../../src/scheduler/job.js";
import { readSessionTag } from "../../../src/session/worker-tag.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { batchSessions, processLines, readEpisodes, readProcesses, rolloutJob, WHOLE_ON_TWO_MACHINES } from "../job.js";
import { runSlurmJob } from "./compiled.js";
import { FakeSlurm } from "./fake-slurm.js";

// Slow, because two other processes run before each process of a job.
vi.setConfig({ testTimeout: 120_000 });

function slurmJob(job: Parameters<typeof rolloutJob>[0]) {
  const groups = [{ roles: ["proxy", "rollout", "gateway", "controller"] as const, nodes: 2 }];
  return jobSchema.parse({ ...rolloutJob(job), slurm: { poll_seconds: 0.1, groups } });
}

it("runs proxies, rollout workers, a gateway and a controller on two machines, and writes one batch", async () => {
  const slurm = new FakeSlurm();
  const folder = temporaryFolder();
  const states: string[] = [];
  await runSlurmJob(slurmJob({ folder, workers: 2, tasks: 4 }), {
    onState: (id, { state, nodes }) => states.push(`${id} ${state} ${nodes}`),
  });
  const episodes = readEpisodes(folder);
  expect(episodes.map(({ error }) => error)).toEqual(Array.from({ length: 4 }, () => undefined));
  expect(batchSessions(folder)).toEqual(episodes.map(({ session_id }) => session_id));
  expect(processLines(folder)).toEqual(WHOLE_ON_TWO_MACHINES);
  expect(states).toEqual(["7 RUNNING n[1-2]"]);
  expect(readdirSync(join(folder, "workers"))).toEqual([]);
  expect(slurm.livingSteps()).toEqual([]);
});

it("goes on without a failed machine, and the batch has the episodes of the others", async () => {
  const slurm = new FakeSlurm();
  const folder = temporaryFolder();
  const running = runSlurmJob(slurmJob({ folder, workers: 2, tasks: 12, pauseMilliseconds: 150, restarts: 1 }));
  await until(() => readdirSync(folder).includes("episodes") && readEpisodes(folder).length >= 2);
  slurm.takeDown("n2");
  await running;
  const records = readProcesses(folder);
  expect(records.filter(({ node }) => node === "n2")).toMatchObject([
    { role: "proxy", state: "lost", restarts: 1, ended: expect.stringContaining("failed on node n2") as string },
    { role: "rollout", state: "lost", restarts: 1, ended: expect.stringContaining("failed on node n2") as string },
  ]);
  const ofFirst = readEpisodes(folder).filter(({ worker }) => worker === 0);
  expect(ofFirst.map(({ task }) => task)).toEqual([0, 2, 4, 6, 8, 10]);
  const tags = new Set(batchSessions(folder).map(readSessionTag));
  expect(tags.size).toBe(1);
  const finished = readEpisodes(folder).flatMap(({ session_id }) => session_id ?? []);
  const kept = finished.filter((id) => tags.has(readSessionTag(id)));
  expect(kept.length).toBeGreaterThanOrEqual(3);
  expect(batchSessions(folder)).toEqual(kept);
});
