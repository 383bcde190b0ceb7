import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type JobSpec, jobSchema } from "../../../src/scheduler/job.js";
import type { JobState } from "../../../src/scheduler/slurm/job-state.js";
import { writeOutcome } from "../../../src/scheduler/slurm/outcome.js";
import { runSlurmJob } from "../../../src/scheduler/slurm/run.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";

/** Programs in place of Slurm's: `squeue` prints the lines of the file `states` one after the other, the last for ever. */
let bin: string;

function program(name: string, script: string): void {
  const file = join(bin, name);
  writeFileSync(file, `#!/bin/sh\ncd '${bin}'\n${script}\n`);
  chmodSync(file, 0o755);
}

function setStates(...states: string[]): void {
  writeFileSync(join(bin, "states"), `${states.join("\n")}\n`);
}

beforeEach(() => {
  bin = temporaryFolder();
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  program("sbatch", "echo 7");
  program("scancel", 'echo "$@" >> cancelled; [ -e after ] && cp after states; exit 0');
  program(
    "squeue",
    'line=$(head -n 1 states); [ "$(wc -l < states)" -gt 1 ] && sed -i 1d states; [ "$line" = fail ] && exit 1; echo "$line"',
  );
});
afterEach(() => void vi.unstubAllEnvs());

const cancelled = () =>
  existsSync(join(bin, "cancelled")) ? readFileSync(join(bin, "cancelled"), "utf8").trim().split("\n") : [];

function createJob(pendingSeconds: number | null = null): JobSpec {
  const roles = [{ role: "controller", command: ["true"] }];
  const slurm = { poll_seconds: 0.05, pending_seconds: pendingSeconds };
  return jobSchema.parse({ folder: temporaryFolder(), roles, stop_seconds: 0, slurm });
}

/** Runs a job that writes this outcome while it runs. */
function run(job: JobSpec, state?: "done" | "failed" | "stopped", signal?: AbortSignal) {
  const states: [string, JobState][] = [];
  const onState = (id: string, each: JobState) => {
    states.push([id, each]);
    if (state) writeOutcome(job, { state, message: "The controller failed.", job_id: id, requeues: 0 });
  };
  const ended = runSlurmJob(job, { onState, signal }).catch((error: unknown) => error);
  return { ended, states };
}

it("waits for the end of a job that is done, and tells each state once", async () => {
  setStates(
    "PENDING|Resources|",
    "PENDING|Resources|",
    "fail",
    "PENDING|Priority|",
    "RUNNING|None|n1",
    "RUNNING|None|n1",
    "COMPLETED|None|n1",
  );
  const { ended, states } = run(createJob(), "done");
  expect(await ended).toBeUndefined();
  expect(states).toEqual([
    ["7", { state: "PENDING", reason: "Resources", nodes: "" }],
    ["7", { state: "PENDING", reason: "Priority", nodes: "" }],
    ["7", { state: "RUNNING", reason: "None", nodes: "n1" }],
  ]);
  expect(cancelled()).toEqual([]);
});

it.each([
  ["failed", "FAILED|NonZeroExitCode|", "job_failed", /^The controller failed\.\nIts logs are in \/.*\/logs\.$/],
  [
    "stopped",
    "COMPLETED|None|",
    "job_stopped",
    /^Job 7 was stopped from outside: its time limit was near, or somebody cancelled it\. Its state is COMPLETED \(None\)/,
  ],
  [
    undefined,
    "NODE_FAIL|None|",
    "job_failed",
    /^Job 7 ended without writing an outcome\. Its state is NODE_FAIL \(None\)/,
  ],
  [undefined, "CANCELLED|None|", "job_stopped", /^Job 7 ended without writing an outcome\. Its state is CANCELLED/],
  [undefined, "", "job_failed", /Its state is unknown, because Slurm has forgotten it\. Its logs are in/],
] as const)("fails with the outcome %s and the last state %j", async (outcome, last, code, message) => {
  setStates("RUNNING|None|n1", last);
  const { ended } = run(createJob(), outcome);
  expect(await ended).toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect(cancelled()).toEqual([]);
});

it("cancels a job for which Slurm has no machines", async () => {
  setStates("PENDING|BadConstraints|");
  writeFileSync(join(bin, "after"), "CANCELLED|None|\n");
  expect(await run(createJob()).ended).toMatchObject({
    code: "job_unplaced",
    message: "Slurm has no machines for job 7 (BadConstraints). Waiting does not help.",
  });
  expect(cancelled()).toEqual(["7"]);
});

it("cancels a job that waits too long", async () => {
  setStates("PENDING|Priority|");
  writeFileSync(join(bin, "after"), "CANCELLED|None|\n");
  expect(await run(createJob(0.01)).ended).toMatchObject({
    code: "job_unplaced",
    message: "Slurm has no machines for job 7 (Priority). It waited for slurm.pending_seconds, 0.01.",
  });
  expect(cancelled()).toEqual(["7"]);
});

it("stops a running job in order", async () => {
  setStates("RUNNING|None|n1");
  writeFileSync(join(bin, "after"), "COMPLETED|None|\n");
  const stop = new AbortController();
  const { ended, states } = run(createJob(), undefined, stop.signal);
  await until(() => states.length > 0);
  stop.abort();
  expect(await ended).toMatchObject({ code: "job_stopped", message: "The job was stopped." });
  expect(cancelled()).toEqual(["--batch --signal=TERM 7"]);
});

it("cancels a running job that cannot be asked to stop", async () => {
  setStates("RUNNING|None|n1");
  program("scancel", 'echo "$@" >> cancelled; [ "$1" = --batch ] && exit 1; echo > states');
  const stop = new AbortController();
  const { ended, states } = run(createJob(), undefined, stop.signal);
  await until(() => states.length > 0);
  stop.abort();
  expect(await ended).toMatchObject({ code: "job_stopped" });
  expect(cancelled()).toEqual(["--batch --signal=TERM 7", "7"]);
});

it("submits nothing if it was stopped before", async () => {
  program("sbatch", "touch submitted");
  const { ended } = run(createJob(), undefined, AbortSignal.abort());
  expect(await ended).toMatchObject({ code: "job_stopped", message: "The job was stopped." });
  expect(existsSync(join(bin, "submitted"))).toBe(false);
});
