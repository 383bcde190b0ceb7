import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type JobInput, jobSchema, sortRoles } from "../../../src/scheduler/job.js";
import { fillEnvironment, fillIn, findMisspelled } from "../../../src/scheduler/placeholders.js";
import { toProcessEnd } from "../../../src/scheduler/process-end.js";
import { Allocation } from "../../../src/scheduler/slurm/allocation.js";
import { slurm } from "../../../src/scheduler/slurm/command.js";
import { hasJobEnded, isHopeless, readSlurmJobState } from "../../../src/scheduler/slurm/job-state.js";
import { readOutcome, removeOutcome, writeOutcome } from "../../../src/scheduler/slurm/outcome.js";
import { countStopSeconds, submit } from "../../../src/scheduler/slurm/submit.js";
import { temporaryFolder } from "../../cli/rolltape.js";

afterEach(() => void vi.unstubAllEnvs());

/** Puts a program on the PATH that runs this shell script. */
function program(name: string, script: string): void {
  const folder = temporaryFolder();
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
}

const role = (name: JobInput["roles"][number]["role"]) => ({ role: name, command: ["true"] });

function createJob(slurmOptions: JobInput["slurm"] = {}, folder = temporaryFolder()) {
  const roles = [role("controller"), role("proxy"), role("engine")];
  return jobSchema.parse({ folder, roles, name: "my-job", stop_seconds: 10, slurm: slurmOptions });
}

describe("the submission of a job", () => {
  async function submitted(slurmOptions: JobInput["slurm"], folder = temporaryFolder()): Promise<string[]> {
    const job = createJob(slurmOptions, folder);
    program("sbatch", `for arg; do echo "$arg" >> '${folder}/args'; done; echo '123;cluster'`);
    expect(await submit(job)).toBe("123");
    expect(JSON.parse(readFileSync(join(folder, "job.json"), "utf8"))).toEqual(job);
    expect(statSync(join(folder, "job.json")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "job.sh"), "utf8")).toMatch(new RegExp(`^#!/bin/sh\nexec '.*' '${folder}'\n$`));
    return readFileSync(join(folder, "args"), "utf8").trim().split("\n");
  }

  it("has the options of one machine", async () => {
    const folder = temporaryFolder();
    expect(await submitted({ options: ["--account=x"] }, folder)).toEqual([
      "--parsable",
      "--job-name=my-job",
      `--output=${folder}/logs/slurm-%j.out`,
      "--open-mode=append",
      "--no-kill",
      "--requeue",
      // Three roles of 10 s, and a margin of 15 s each.
      "--signal=B:TERM@75",
      "--account=x",
      "--nodes=1",
      `${folder}/job.sh`,
    ]);
  });

  it("has the options of each group behind a colon", async () => {
    const groups = [
      { roles: ["proxy", "engine"], nodes: 2, options: ["--gres=gpu:1"] },
      { roles: ["controller"], nodes: 1 },
    ] satisfies NonNullable<NonNullable<JobInput["slurm"]>["groups"]>;
    const args = await submitted({ groups, requeue: false });
    expect(args.filter((arg) => arg === ":")).toHaveLength(1);
    expect(args.slice(args.indexOf(":") - 2, args.indexOf(":") + 2)).toEqual([
      "--nodes=2",
      "--gres=gpu:1",
      ":",
      "--job-name=my-job",
    ]);
    expect(args).toContain("--no-requeue");
    expect(args.at(-2)).toBe("--nodes=1");
  });

  it.each([
    [["--time=1"], "--signal=B:TERM@15"],
    [["--time=100"], "--signal=B:TERM@75"],
    [["--signal=USR1@5"], "--signal=USR1@5"],
  ])("warns before the time limit of %j: %s", async (options, signal) => {
    const args = await submitted({ options });
    expect(args.filter((arg) => arg.startsWith("--signal"))).toEqual([signal]);
  });

  it("is refused by Slurm, or has no Slurm", async () => {
    program("sbatch", "echo 'invalid account' >&2; exit 1");
    await expect(submit(createJob())).rejects.toMatchObject({
      code: "job_unplaced",
      message: "Slurm refused the job: sbatch failed: invalid account",
    });
    vi.stubEnv("PATH", temporaryFolder());
    await expect(submit(createJob())).rejects.toMatchObject({ code: "slurm_missing" });
  });

  it("counts the seconds of a stop", () => {
    expect(countStopSeconds(createJob())).toBe(75);
  });
});

describe("the state of a job in Slurm", () => {
  it.each([
    ["RUNNING|None|gpu1", { state: "RUNNING", reason: "None", nodes: "gpu1" }],
    ["PENDING|Resources|", { state: "PENDING", reason: "Resources", nodes: "" }],
    ["RUNNING|None|gpu[1-2]\nRUNNING|None|cpu1\n", { state: "RUNNING", reason: "None", nodes: "gpu[1-2],cpu1" }],
    ["PENDING|Priority|\nPENDING|InvalidAccount|\n", { state: "PENDING", reason: "InvalidAccount", nodes: "" }],
    ["", undefined],
  ])("is read from %j", async (output, state) => {
    program("squeue", `[ "$3" = --jobs=7 ] && printf '%b' '${output.replaceAll("\n", "\\n")}'; exit 0`);
    expect(await readSlurmJobState("7")).toEqual(state);
  });

  it("is unknown for an id that Slurm has forgotten, and an error if Slurm does not answer", async () => {
    program("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    expect(await readSlurmJobState("7")).toBeUndefined();
    program("squeue", "echo 'Unable to contact slurm controller' >&2; exit 1");
    await expect(readSlurmJobState("7")).rejects.toThrow("squeue failed: Unable to contact slurm controller");
  });

  it.each("BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED REVOKED TIMEOUT".split(" "))(
    "is the end with %s",
    (state) => {
      expect(hasJobEnded({ state, reason: "", nodes: "" })).toBe(true);
    },
  );

  it("is not the end while it runs or waits, and hopeless only while it waits", () => {
    for (const state of ["RUNNING", "PENDING"]) expect(hasJobEnded({ state, reason: "", nodes: "" })).toBe(false);
    expect(isHopeless({ state: "PENDING", reason: "BadConstraints", nodes: "" })).toBe(true);
    expect(isHopeless({ state: "RUNNING", reason: "BadConstraints", nodes: "" })).toBe(false);
    expect(isHopeless({ state: "PENDING", reason: "Resources", nodes: "" })).toBe(false);
  });

  it("has the error of a program without an output", async () => {
    program("scancel", "exit 3");
    await expect(slurm("scancel", ["7"])).rejects.toThrow(/scancel failed: Error: Command failed: scancel 7/);
  });
});

describe("the machines of a job", () => {
  const ADDRESSES = "NodeName=n1 NodeAddr=10.0.0.1 X=1\\nNodeName=n2 NodeAddr=10.0.0.2\\n";

  it("are those of the environment, with their addresses", async () => {
    program(
      "scontrol",
      `case "$*" in
        "show hostnames n[1-3]") printf 'n1\\nn2\\nn3\\n';;
        "--oneliner show node n[1-3]") printf '${ADDRESSES}';;
        *) exit 1;;
      esac`,
    );
    const env = { SLURM_JOB_ID: "5", SLURM_JOB_NODELIST: "n[1-3]" };
    const allocation = await Allocation.read(createJob(), env);
    expect(allocation.place("proxy", 0)).toEqual({ node: "n1", address: "10.0.0.1" });
    expect(allocation.place("engine", 4)).toEqual({ node: "n2", address: "10.0.0.2" });
    expect(allocation.place("engine", 2)).toEqual({ node: "n3", address: "n3" });
    expect(allocation.jobId("proxy")).toBe("5");
    expect(allocation.hetGroup("proxy")).toBeUndefined();
    expect(() => allocation.place("gateway", 0)).toThrow("role gateway is in no group of machines");
  });

  it("are those of each group of a heterogeneous job", async () => {
    program("scontrol", 'if [ "$1" = show ]; then echo "$3"; fi');
    const groups = [
      { roles: ["proxy" as const, "engine" as const], nodes: 1 },
      { roles: ["controller" as const], nodes: 1 },
    ];
    const env = {
      SLURM_JOB_ID_HET_GROUP_0: "5",
      SLURM_JOB_NODELIST_HET_GROUP_0: "a",
      SLURM_JOB_ID_HET_GROUP_1: "6",
      SLURM_JOB_NODELIST_HET_GROUP_1: "b",
    };
    const allocation = await Allocation.read(createJob({ groups }), env);
    expect(allocation.place("engine", 1)).toEqual({ node: "a", address: "a" });
    expect(allocation.place("controller", 0)).toEqual({ node: "b", address: "b" });
    expect([allocation.jobId("engine"), allocation.jobId("controller")]).toEqual(["5", "6"]);
    expect([allocation.hetGroup("engine"), allocation.hetGroup("controller")]).toEqual([0, 1]);
    expect(() =>
      new Allocation([{ roles: ["proxy"], nodes: 1, options: [] }], [{ jobId: "", places: [] }]).place("proxy", 0),
    ).toThrow("Slurm allocated no machine to role proxy");
  });
});

describe("the outcome of a job", () => {
  it("is read as it was written, and absent if there is none or it is damaged", () => {
    const job = createJob();
    expect(readOutcome(job)).toBeUndefined();
    removeOutcome(job);
    for (const state of ["done", "failed", "stopped"] as const) {
      writeOutcome(job, { state, message: "m", job_id: "7", requeues: 2 });
      expect(readOutcome(job)).toEqual({ state, message: "m", job_id: "7", requeues: 2 });
    }
    writeFileSync(join(job.folder, "outcome.json"), '{"state":"lost"}');
    expect(readOutcome(job)).toBeUndefined();
    removeOutcome(job);
    expect(readOutcome(job)).toBeUndefined();
  });
});

describe("the description of a job", () => {
  it("has roles in the order of their start", () => {
    expect(sortRoles(createJob()).map(({ role: name }) => name)).toEqual(["engine", "proxy", "controller"]);
  });

  it.each([
    [{ stop_seconds: 0 }, true],
    [{ stop_seconds: 3601 }, false],
    [{ name: "x".repeat(64) }, true],
    [{ name: "x".repeat(65) }, false],
    [{ roles: [role("controller"), role("controller")] }, false],
    [{ roles: [{ ...role("controller"), count: 0 }] }, false],
    [{ roles: [{ ...role("controller"), count: 4096 }] }, true],
    [{ roles: [{ ...role("controller"), count: 4097 }] }, false],
    [{ roles: [{ ...role("controller"), command: [] }] }, false],
    [{ roles: [{ ...role("controller"), restarts: 0, ready_seconds: 0.5 }] }, true],
    [{ roles: [{ ...role("controller"), restarts: -1 }] }, false],
    [{ roles: [{ ...role("controller"), ready_seconds: 0 }] }, false],
    [{ roles: [{ ...role("controller"), ready_seconds: 86_401 }] }, false],
    [{ slurm: { poll_seconds: 0.05, pending_seconds: 1 } }, true],
    [{ slurm: { poll_seconds: 0.04 } }, false],
    [{ slurm: { poll_seconds: 3601 } }, false],
    [{ slurm: { pending_seconds: 0 } }, false],
    [{ slurm: { groups: [] } }, false],
    [{ slurm: { groups: [{ roles: ["controller"], nodes: 4096 }] } }, true],
    [{ slurm: { groups: [{ roles: ["controller"], nodes: 4097 }] } }, false],
    [{ slurm: { groups: [{ roles: ["controller"], nodes: 0 }] } }, false],
    [{ slurm: { groups: [{ roles: [], nodes: 1 }] } }, false],
    [{ slurm: { step_options: { engine: ["--exact"] } } }, true],
  ])("may have %j: %s", (fields, accepted) => {
    expect(jobSchema.safeParse({ folder: "/job", roles: [role("controller")], ...fields }).success).toBe(accepted);
  });

  it.each([
    ["--nodes=4", "slurm.groups[].nodes"],
    ["-N4", "slurm.groups[].nodes"],
    ["--nodelist=a", "slurm.groups[].roles"],
    ["--requeue", "slurm.requeue"],
    ["--no-requeue", "slurm.requeue"],
    ["--job-name=x", "name"],
    ["-Jx", "name"],
    ["--output=x", "folder"],
    ["-ox", "folder"],
    ["--error=x", "folder"],
    ["-ex", "folder"],
    ["--array=1-2", "count of the roles"],
    ["-a1", "count of the roles"],
  ])("refuses the option %s, in place of which there is %s", (option, key) => {
    const { error } = jobSchema.safeParse({
      folder: "/job",
      roles: [role("controller")],
      slurm: { options: [option] },
    });
    expect(error?.issues[0]?.message).toMatch(new RegExp(`; use ${key.replaceAll(/[[\]]/g, "\\$&")}$`));
  });
});

describe("placeholders", () => {
  it("are filled in if they have a value", () => {
    const values = { port: "1", node: undefined };
    expect(fillIn('{port}:{node} {"port":{port}} {other}', values)).toBe('1:{node} {"port":1} {other}');
    expect(fillEnvironment({ A: "{port}", B: "x" }, values)).toEqual({ A: "1", B: "x" });
  });

  it.each([
    ["{prot}", undefined],
    ["{folde}", { name: "folde", nearest: "folder" }],
    ["{Index}", { name: "Index", nearest: "index" }],
    ["{index} {engine_url}", { name: "engine_url", nearest: "engine_urls" }],
    ["{folder} {quux}", undefined],
    ["${folde} {{folde}}", undefined],
  ])("that are misspelled in %s are %j", (text, found) => {
    expect(findMisspelled(text)).toEqual(found);
  });
});

it.each([
  [{ how: "exit", code: 3 } as const, { code: 3, text: "ended with status 3" }],
  [{ how: "signal", signal: "SIGKILL" } as const, { code: 1, text: "was ended by SIGKILL" }],
  [{ how: "not_started", error: new Error("ENOENT") } as const, { code: 1, text: "/bin/x did not start: ENOENT" }],
])("describes the end of a process: %o", (end, described) => {
  expect(toProcessEnd(end, "/bin/x")).toEqual(described);
});
