import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { JobState } from "../../../src/scheduler/slurm/job-state.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { runSlurmJob } from "./compiled.js";
import { FakeSlurm } from "./fake-slurm.js";
import { announcing, readLines, shell, smallJob } from "./small-job.js";

vi.setConfig({ testTimeout: 120_000 });

const NEVER_ENDING = [{ role: "controller" as const, command: shell("echo up >> {folder}/log; exec sleep 600") }];

function failure(code: string, message: RegExp) {
  return { code, message: expect.stringMatching(message) as string };
}

/** Listens at once: a job may fail before it is waited for. */
function catchError(running: Promise<void>): Promise<unknown> {
  return running.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function readOutcomeFile(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, "outcome.json"), "utf8"));
}

describe("a job that Slurm runs", () => {
  it("is submitted with its options, and its description is readable by its owner only", async () => {
    const slurm = new FakeSlurm();
    const folder = temporaryFolder();
    const job = smallJob(folder, [{ role: "controller", command: shell("true") }], {
      options: ["--account=me", "--time=1"],
      requeue: false,
    });
    await runSlurmJob(job);
    expect(slurm.calls("sbatch")).toEqual([
      [
        "--parsable",
        "--job-name=rolltape",
        `--output=${folder}/logs/slurm-%j.out`,
        "--open-mode=append",
        "--no-kill",
        "--no-requeue",
        "--signal=B:TERM@15",
        "--account=me",
        "--time=1",
        "--nodes=1",
        join(folder, "job.sh"),
      ],
    ]);
    expect(statSync(join(folder, "job.json")).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "steps/controller-0.plan.json")).mode & 0o077).toBe(0);
  });

  it("is heterogeneous if it has several groups of machines", async () => {
    const slurm = new FakeSlurm();
    const folder = temporaryFolder();
    const job = smallJob(
      folder,
      [
        { role: "engine", count: 2, command: announcing("engine {index}"), ready: "line" },
        { role: "controller", command: shell("echo '{engine_urls}' >> {folder}/log") },
      ],
      {
        groups: [
          { roles: ["controller"], nodes: 1, options: ["--partition=cpu"] },
          { roles: ["engine"], nodes: 1, options: ["--gres=gpu:2", "--signal=B:TERM@90"] },
        ],
        step_options: { engine: ["--exact", "--gres=gpu:1"] },
      },
    );
    await runSlurmJob(job);
    const [submitted = []] = slurm.calls("sbatch");
    const colon = submitted.indexOf(":");
    expect(submitted.slice(colon - 2, colon)).toEqual(["--nodes=1", "--partition=cpu"]);
    expect(submitted.slice(-4, -1)).toEqual(["--nodes=1", "--gres=gpu:2", "--signal=B:TERM@90"]);
    expect(submitted.filter((option) => option.startsWith("--signal"))).toHaveLength(1);
    const options = slurm.calls("srun").map((args) => args.filter((arg) => arg.startsWith("-") && arg !== "-c"));
    expect(options.find((list) => list.includes("--job-name=engine-1"))).toEqual(
      expect.arrayContaining(["--nodelist=n2", "--het-group=1", "--exact", "--gres=gpu:1"]),
    );
    expect(options.find((list) => list.includes("--job-name=engine-1"))).not.toContain("--overlap");
    expect(options.find((list) => list.includes("--job-name=controller-0"))).toEqual(
      expect.arrayContaining(["--nodelist=n1", "--het-group=0", "--overlap"]),
    );
    const ports = readLines(folder).flatMap((line) => /^start engine \d (\d+)$/.exec(line)?.[1] ?? []);
    expect(new Set(ports).size).toBe(2);
    const urls = JSON.parse(readLines(folder).find((line) => line.startsWith("[")) ?? "") as string[];
    expect(urls.sort()).toEqual(ports.map((port) => `http://127.0.0.1:${port}`).sort());
    // Steps of the second group belong to its own part of the job.
    expect(slurm.calls("scancel").map(([signal, step]) => `${signal} ${step?.split(".")[0]}`)).toEqual([
      "--signal=TERM 8",
      "--signal=TERM 8",
    ]);
  });

  it("restarts from the beginning when Slurm requeues it", async () => {
    const slurm = new FakeSlurm();
    const folder = temporaryFolder();
    const running = runSlurmJob(
      smallJob(folder, [
        { role: "engine", command: announcing("engine"), ready: "line" },
        {
          role: "controller",
          command: shell("echo up $(ls {folder}/outcome.json) >> {folder}/log; [ -e {folder}/go ] || exec sleep 600"),
        },
      ]),
    );
    await until(() => readLines(folder).includes("up"));
    writeFileSync(join(folder, "go"), "");
    writeFileSync(join(folder, "outcome.json"), "of the first life");
    slurm.requeue();
    await running;
    expect(readLines(folder).filter((line) => line === "up")).toHaveLength(2);
    expect(readOutcomeFile(folder)).toEqual({ state: "done", message: "", job_id: "7", requeues: 1 });
  });

  it("fails with the message of the process that failed", async () => {
    new FakeSlurm();
    const folder = temporaryFolder();
    const job = smallJob(folder, [{ role: "controller", command: shell("exit 5"), restarts: 0 }]);
    await expect(runSlurmJob(job)).rejects.toMatchObject(
      failure("job_failed", /controller ended with status 5.*\/logs/),
    );
  });

  it("goes on while Slurm does not answer for a while", async () => {
    const slurm = new FakeSlurm();
    slurm.beAway(3);
    await runSlurmJob(smallJob(temporaryFolder(), [{ role: "controller", command: shell("true") }]));
    expect(slurm.calls("squeue").length).toBeGreaterThan(3);
  });
});

describe("a job that is stopped", () => {
  it("stops in order, controller first", async () => {
    const slurm = new FakeSlurm();
    const folder = temporaryFolder();
    const stop = new AbortController();
    const running = runSlurmJob(
      smallJob(folder, [
        { role: "engine", command: announcing("engine"), ready: "line" },
        { role: "proxy", command: announcing("proxy"), ready: "line" },
        {
          role: "controller",
          command: shell(
            "echo up >> {folder}/log; trap 'echo stop controller >> {folder}/log; exit 0' TERM; while :; do sleep 0.05; done",
          ),
        },
      ]),
      { signal: stop.signal },
    );
    const stopped = catchError(running);
    await until(() => readLines(folder).includes("up"));
    stop.abort();
    expect(await stopped).toMatchObject(failure("job_stopped", /stopped/));
    expect(readLines(folder).slice(-3)).toEqual(["stop controller", "stop proxy", "stop engine"]);
    expect(slurm.calls("scancel")[0]).toEqual(["--batch", "--signal=TERM", "7"]);
    expect(slurm.calls("scancel").filter(([first]) => first === "7")).toEqual([]);
    expect(readOutcomeFile(folder)).toMatchObject({ state: "stopped" });
    expect(slurm.livingSteps()).toEqual([]);
  });

  it("is ended by Slurm if it cannot be signalled", async () => {
    const slurm = new FakeSlurm();
    slurm.makeDeaf();
    const folder = temporaryFolder();
    const stop = new AbortController();
    const running = runSlurmJob(smallJob(folder, NEVER_ENDING), { signal: stop.signal });
    const stopped = catchError(running);
    await until(() => readLines(folder).includes("up"));
    stop.abort();
    expect(await stopped).toMatchObject({ code: "job_stopped" });
    expect(slurm.calls("scancel").at(-1)).toEqual(["7"]);
    await until(() => slurm.livingSteps().length === 0);
  });

  it("stops in order and reports job_stopped when its time limit is near", async () => {
    const slurm = new FakeSlurm();
    const folder = temporaryFolder();
    const engine = { role: "engine" as const, command: announcing("engine"), ready: "line" as const };
    const failed = catchError(runSlurmJob(smallJob(folder, [engine, ...NEVER_ENDING])));
    await until(() => readLines(folder).includes("up"));
    slurm.warn();
    expect(await failed).toMatchObject(failure("job_stopped", /job 7 was stopped from outside.*state is FAILED/i));
    expect(readLines(folder).at(-1)).toBe("stop engine");
  });

  it("fails with job_stopped if somebody else cancels it", async () => {
    const slurm = new FakeSlurm();
    slurm.keepWaiting("Resources");
    const running = runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING));
    const stopped = catchError(running);
    await until(() => slurm.calls("squeue").length > 0);
    slurm.say("CANCELLED|None|");
    expect(await stopped).toMatchObject(failure("job_stopped", /job 7 ended.*state is CANCELLED/i));
  });

  it.each([
    ["has ended it", "NODE_FAIL|None|", /job 7 ended.*state is NODE_FAIL/i],
    ["has forgotten it", "", /job 7 ended without writing an outcome.*Slurm has forgotten it/i],
  ])("fails if Slurm %s and it wrote no outcome", async (_, state, message) => {
    const slurm = new FakeSlurm();
    slurm.keepWaiting("Resources");
    const failed = catchError(runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING)));
    // The state was queried once: from now on it stays.
    await until(() => slurm.calls("squeue").length > 0);
    slurm.say(state);
    expect(await failed).toMatchObject(failure("job_failed", message));
  });
});

describe("a job that cannot run", () => {
  const unplaced = (message: RegExp) => failure("job_unplaced", message);

  it("is refused with the message of sbatch", async () => {
    new FakeSlurm().refuse("Requested node configuration is not available");
    const running = runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING));
    await expect(running).rejects.toMatchObject(unplaced(/sbatch.*Requested node configuration is not available/));
  });

  it("is cancelled if waiting would bring no machines", async () => {
    const slurm = new FakeSlurm();
    slurm.keepWaiting("PartitionConfig");
    const states: JobState[] = [];
    const running = runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING), {
      onState: (_, state) => states.push(state),
    });
    await expect(running).rejects.toMatchObject(unplaced(/job 7 \(PartitionConfig\)/));
    expect(states).toEqual([{ state: "PENDING", reason: "PartitionConfig", nodes: "" }]);
    expect(slurm.calls("scancel")).toEqual([["7"]]);
  });

  it("waits for machines no longer than pending_seconds", async () => {
    const slurm = new FakeSlurm();
    slurm.keepWaiting("Resources");
    const running = runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING, { pending_seconds: 0.2 }));
    await expect(running).rejects.toMatchObject(unplaced(/Resources.*pending_seconds, 0\.2/));
    expect(slurm.calls("scancel")).toEqual([["7"]]);
  });

  it("fails with the name of the missing Slurm program", async () => {
    vi.stubEnv("PATH", temporaryFolder());
    const running = runSlurmJob(smallJob(temporaryFolder(), NEVER_ENDING));
    await expect(running).rejects.toMatchObject(failure("slurm_missing", /sbatch was not found on the PATH/));
    vi.unstubAllEnvs();
  });
});
