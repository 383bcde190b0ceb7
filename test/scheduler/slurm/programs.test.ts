import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JobInput } from "../../../src/scheduler/job.js";
import { readOutcome, writeOutcome } from "../../../src/scheduler/slurm/outcome.js";
import { StepFiles } from "../../../src/scheduler/slurm/step/step-files.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { readLines, shell, smallJob } from "./small-job.js";
import { SlurmScripts, waitFor } from "./srun.js";

/** The programs of Slurm's machines, run in this process. */

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
let runs = 0;

/** Runs a program of `src/scheduler/slurm` in this process. Returns its exit status. */
async function run(program: "batch-main" | "step/step-main", argument: string): Promise<unknown> {
  const before = { argv: process.argv, exitCode: process.exitCode };
  const listeners = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  process.argv = ["node", program, argument];
  onTestFinished(() => exit.mockRestore());
  try {
    // The query loads the program again: it runs while it loads.
    await import(new URL(`../../../src/scheduler/slurm/${program}.ts?run=${runs++}`, import.meta.url).href);
    return exit.mock.calls[0]?.[0] ?? process.exitCode;
  } finally {
    process.argv = before.argv;
    process.exitCode = before.exitCode;
    for (const [signal, kept] of listeners) {
      for (const each of process.listeners(signal)) if (!kept.includes(each)) process.off(signal, each);
    }
  }
}

describe("the program of a step", () => {
  function prepare(command: string[], env: Record<string, string> = {}) {
    const folder = temporaryFolder();
    const files = new StepFiles(folder, "engine", 0);
    files.prepare({ life: "now", command: command.map((text) => text.replaceAll("{folder}", folder)), env, port: 0 });
    return { folder, files };
  }

  it("runs the command with the environment and a free port, and reports its start and end", async () => {
    vi.stubEnv("SLURM_STEP_ID", "3");
    vi.stubEnv("OF_SLURM", "s");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { folder, files } = prepare(shell("echo {port} $KEY $OF_SLURM >> {folder}/log; exit 4"), { KEY: "k{port}" });
    expect(await run("step/step-main", files.plan)).toBe(4);
    const { port, ...started } = files.started("now") ?? { port: 0 };
    expect(port).toBeGreaterThan(0);
    expect(started).toEqual({ event: "started", life: "now", step: "3", host: hostname() });
    expect(readLines(folder)).toEqual([`${port} k${port} s`]);
    expect(files.ended("now")).toEqual({ event: "ended", life: "now", code: 4, text: "ended with status 4" });
  });

  it("goes on when Slurm signals it, until its command has ended", async () => {
    const { folder, files } = prepare(shell(`${waitFor("{folder}/end")}; exit 2`));
    const running = run("step/step-main", files.plan);
    await until(() => files.started("now") !== undefined);
    for (const signal of SIGNALS) expect(process.emit(signal)).toBe(true);
    expect(files.ended("now")).toBeUndefined();
    writeFileSync(join(folder, "end"), "");
    expect(await running).toBe(2);
  });

  it("reports a command that cannot be started, and no step outside of Slurm", async () => {
    vi.stubEnv("SLURM_STEP_ID", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { files } = prepare(["/no/such/program"]);
    expect(await run("step/step-main", files.plan)).toBe(1);
    expect(files.started("now")).toMatchObject({ step: "" });
    expect(files.ended("now")?.text).toMatch(/^\/no\/such\/program did not start: .*ENOENT/);
  });
});

describe("the program of a job's first machine", () => {
  /** Prepares a job with a controller whose `srun` is this script. */
  function prepare(srun: string, env: Record<string, string | undefined> = {}) {
    const scripts = new SlurmScripts();
    scripts.write("scontrol", 'if [ "$2" = hostnames ]; then echo n1; fi');
    scripts.writeSrun(srun);
    for (const [name, value] of Object.entries({ SLURM_JOB_ID: "7", SLURM_JOB_NODELIST: "n1", ...env })) {
      vi.stubEnv(name, value);
    }
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const folder = temporaryFolder();
    const roles: JobInput["roles"] = [{ role: "controller", command: ["x"], restarts: 0 }];
    const job = smallJob(folder, roles);
    writeFileSync(join(folder, "job.json"), JSON.stringify(job));
    mkdirSync(join(folder, "logs"));
    return { job, folder, scripts, said: () => written.mock.calls.map(([text]) => String(text)) };
  }

  it("runs the job and writes that it is done, in place of the outcome of an earlier run", async () => {
    const { job, folder, scripts, said } = prepare(`${waitFor("seen")}; report 0`, { SLURM_RESTART_COUNT: "2" });
    writeOutcome(job, { state: "failed", message: "old", job_id: "7", requeues: 1 });
    const running = run("batch-main", folder);
    await until(() => scripts.calls("srun").length > 0);
    expect(readOutcome(job)).toBeUndefined();
    scripts.touch("seen");
    expect(await running).toBe(0);
    expect(readOutcome(job)).toEqual({ state: "done", message: "", job_id: "7", requeues: 2 });
    expect(said()).toEqual(["rolltape: the job is done\n"]);
  });

  it("writes why the job failed", async () => {
    const { job, folder, said } = prepare("report 3");
    expect(await run("batch-main", folder)).toBe(1);
    const outcome = readOutcome(job);
    expect(outcome).toMatchObject({ state: "failed", job_id: "7", requeues: 0 });
    expect(outcome?.message).toMatch(/^The controller ended with status 3\./);
    expect(said()).toEqual([`rolltape: the job is failed: ${outcome?.message}\n`]);
  });

  it("writes that the job failed if its machines cannot be read", async () => {
    const { job, folder, scripts } = prepare("report 0", { SLURM_JOB_ID: undefined });
    scripts.write("scontrol", "echo 'no such node' >&2; exit 1");
    expect(await run("batch-main", folder)).toBe(1);
    expect(readOutcome(job)).toEqual({
      state: "failed",
      message: "scontrol failed: no such node",
      job_id: "",
      requeues: 0,
    });
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops the job at %s", async (signal) => {
    const { job, folder, scripts } = prepare(`${waitFor("end")}; report 0`);
    scripts.write("scancel", "touch end");
    const running = run("batch-main", folder);
    await until(() => /"ready"/.test(readIfThere(join(folder, "processes.json"))));
    process.emit(signal);
    expect(await running).toBe(1);
    expect(readOutcome(job)).toMatchObject({ state: "stopped", message: "The job was stopped." });
    expect(scripts.calls("scancel")).toEqual(["--signal=TERM 7.3"]);
  });
});

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
