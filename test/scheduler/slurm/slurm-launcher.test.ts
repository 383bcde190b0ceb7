import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JobInput } from "../../../src/scheduler/job.js";
import type { LaunchedProcess } from "../../../src/scheduler/launcher.js";
import type { JobRole } from "../../../src/scheduler/roles.js";
import { Allocation } from "../../../src/scheduler/slurm/allocation.js";
import { nodeProgram } from "../../../src/scheduler/slurm/node-program.js";
import { SlurmLauncher } from "../../../src/scheduler/slurm/slurm-launcher.js";
import { readPlan } from "../../../src/scheduler/slurm/step/step-files.js";
import { temporaryFolder } from "../../cli/rolltape.js";
import { until } from "../../helpers/until.js";
import { smallJob } from "./small-job.js";
import { SlurmScripts, waitFor } from "./srun.js";

const NEVER = new AbortController().signal;
const PLACES = ["n1", "n2"].map((node) => ({ node, address: node }));

/** Launches processes of a job on the machines n1 and n2. */
function start(slurm: JobInput["slurm"] = {}) {
  const scripts = new SlurmScripts();
  const roles: JobInput["roles"] = [
    { role: "controller", command: ["train"] },
    { role: "engine", count: 2, command: ["serve"] },
  ];
  const job = smallJob(temporaryFolder(), roles, slurm);
  const groups = job.slurm.groups ?? [{ roles: ["controller", "engine"], nodes: 2, options: [] }];
  const allocated = groups.map((_, group) => ({ jobId: String(7 + group), places: PLACES }));
  const launcher = new SlurmLauncher(job, new Allocation(groups, allocated));
  const errors = join(scripts.folder, "err");
  const launch = (role: JobRole = "engine", index = 0): Promise<LaunchedProcess> => {
    const files = { output: join(scripts.folder, "out"), errors };
    return launcher.launch({ role, index, command: ["serve", "{port}"], env: { KEY: "k" }, ...files });
  };
  const planFile = (name: string) => join(job.folder, "steps", `${name}.plan.json`);
  return { scripts, launcher, launch, planFile };
}

describe("a process of a job in Slurm", () => {
  it("is a step on its machine that shares the machine's resources", async () => {
    const { scripts, launcher, launch, planFile } = start();
    scripts.writeSrun("report 0");
    expect(launcher.place("engine", 1)).toEqual({ node: "n2", address: "n2" });
    const launched = await launch("engine", 1);
    expect(await launched.ended).toEqual({ code: 0, text: "ended with status 0" });
    expect(scripts.calls("srun")).toEqual([
      [
        "--nodes=1",
        "--ntasks=1",
        "--nodelist=n2",
        "--job-name=engine-1",
        "--export=ALL",
        "--overlap",
        ...nodeProgram("step/step-main"),
        planFile("engine-1"),
      ].join(" "),
    ]);
  });

  it.each([
    [["--exact", "--gres=gpu:1"], "--export=ALL --exact --gres=gpu:1 "],
    [["--exclusive"], "--export=ALL --exclusive "],
    [["--exactly"], "--export=ALL --overlap --exactly "],
    [["--gres=gpu:1"], "--export=ALL --overlap --gres=gpu:1 "],
  ])("has the options %j of its role, and shares its machine unless they forbid it", async (options, expected) => {
    const { scripts, launch } = start({ step_options: { engine: options } });
    scripts.writeSrun("report 0");
    await (await launch()).ended;
    expect(scripts.calls("srun")[0]).toContain(expected);
  });

  it("is in the group of its role if the job has several", async () => {
    const { scripts, launch } = start({
      groups: [
        { roles: ["controller"], nodes: 2 },
        { roles: ["engine"], nodes: 2 },
      ],
    });
    scripts.writeSrun(`${waitFor("end")}; report 0`);
    scripts.write("scancel", "touch end");
    const launched = await launch();
    await launched.started(NEVER);
    await launched.stop(60);
    expect(scripts.calls("srun")[0]).toContain("--export=ALL --het-group=1 --overlap ");
    expect(scripts.calls("scancel")).toEqual(["--signal=TERM 8.3"]);
  });

  it("asks for the port of its last start, and each start has its own reports", async () => {
    const { scripts, launch, planFile } = start();
    scripts.writeSrun("report 0");
    const first = await launch();
    const plan = readPlan(planFile("engine-0"));
    expect(plan).toMatchObject({ command: ["serve", "{port}"], env: { KEY: "k" }, port: 0 });
    expect(await first.started(NEVER)).toBe("4321");
    await first.ended;
    scripts.writeSrun("report 5");
    const second = await launch();
    expect(await second.ended).toEqual({ code: 5, text: "ended with status 5" });
    expect(readPlan(planFile("engine-0")).port).toBe(4321);
    expect(readPlan(planFile("engine-0")).life).not.toBe(plan.life);
    await (await launch("engine", 1)).ended;
    expect(readPlan(planFile("engine-1")).port).toBe(0);
  });

  it("is not waited for after the signal aborts", async () => {
    const { scripts, launch } = start();
    scripts.write("srun", "exit 1");
    const launched = await launch();
    await expect(launched.started(AbortSignal.abort(new Error("no longer")))).rejects.toThrow("no longer");
    await launched.ended;
  });
});

describe("the end of a process in Slurm", () => {
  it("is the reported one, whatever srun's status is, also if the report comes late", async () => {
    const { scripts, launch } = start();
    scripts.writeSrun("report 4; exit 9");
    expect(await (await launch()).ended).toEqual({ code: 4, text: "ended with status 4" });
    scripts.writeSrun(`( ${waitFor("late")}; report 6 ) & exit 0`);
    const launched = await launch();
    let ended = false;
    const late = launched.ended.then((end) => ((ended = true), end));
    await launched.started(NEVER);
    scripts.write("scancel", "exit 0");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(ended).toBe(false);
    scripts.touch("late");
    expect(await late).toEqual({ code: 6, text: "ended with status 6" });
  });

  it.each([
    ["echo 'srun: error: one' >&2; echo 'srun: error: two' >&2; echo three >&2; exit 233", 233, "srun: error: two"],
    ["echo 'an srun: error: of its own' >&2; exit 5", 5, "srun ended with status 5"],
    ["kill -9 $$", 1, "srun was ended by SIGKILL"],
  ])("without a report is told by srun: %s", async (script, code, text) => {
    const { scripts, launch } = start();
    scripts.writeSrun(script);
    expect(await (await launch()).ended).toEqual({ code, text: `was lost: ${text}` });
  });

  it("comes after a signal to the step, for which srun itself is not signalled", async () => {
    const { scripts, launch } = start();
    scripts.writeSrun(`trap 'touch forced' TERM; ${waitFor("asked")}; report 2`);
    // Slurm fails in this way if a machine of the job has no process of the step.
    scripts.write("scancel", "touch asked; exit 1");
    const launched = await launch();
    await launched.started(NEVER);
    await launched.stop(60);
    expect(await launched.ended).toEqual({ code: 2, text: "ended with status 2" });
    expect(scripts.calls("scancel")).toEqual(["--signal=TERM 7.3"]);
    expect(existsSync(join(scripts.folder, "forced"))).toBe(false);
    await launched.stop(60);
    expect(scripts.calls("scancel")).toHaveLength(1);
  });

  it("is waited for after a stop, also if its report comes late", async () => {
    const { scripts, launch } = start();
    scripts.writeSrun(`${waitFor("asked")}; ( ${waitFor("late")}; report 2 ) & touch gone; exit 0`);
    scripts.write("scancel", "touch asked");
    const launched = await launch();
    await launched.started(NEVER);
    let stopped = false;
    const stopping = launched.stop(60).then(() => (stopped = true));
    await until(() => existsSync(join(scripts.folder, "gone")));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(stopped).toBe(false);
    scripts.touch("late");
    await stopping;
    expect(await launched.ended).toEqual({ code: 2, text: "ended with status 2" });
  });

  it("is forced if the process does not end in time", async () => {
    const { scripts, launch } = start();
    scripts.writeSrun(`trap 'touch forced; report 3; exit 3' TERM; ${waitFor("never")}`);
    scripts.write("scancel", "exit 0");
    const launched = await launch();
    await launched.started(NEVER);
    await launched.stop(0);
    expect(await launched.ended).toEqual({ code: 3, text: "ended with status 3" });
    expect(scripts.calls("scancel")).toHaveLength(1);
    expect(existsSync(join(scripts.folder, "forced"))).toBe(true);
  });

  it.each([
    ["has not started", (scripts: SlurmScripts, script: string) => scripts.write("srun", script)],
    ["has ended", (scripts: SlurmScripts, script: string) => scripts.writeSrun(`report 1; ${script}`)],
  ])("is forced at once if the process %s", async (_, write) => {
    const { scripts, launch } = start();
    write(scripts, `trap 'touch forced; exit 1' TERM; touch up; ${waitFor("never")}`);
    scripts.write("scancel", "exit 0");
    const launched = await launch();
    await until(() => existsSync(join(scripts.folder, "up")));
    await launched.stop(3600);
    expect((await launched.ended).code).toBe(1);
    expect(scripts.calls("scancel")).toEqual([]);
    expect(readFileSync(join(scripts.folder, "forced"), "utf8")).toBe("");
  });
});
