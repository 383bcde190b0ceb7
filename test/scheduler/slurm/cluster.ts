import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The folder of the Slurm cluster that scripts/slurm-test.sh has started. */
const FOLDER = process.env["SLURM_TEST_FOLDER"] ?? "";

export function slurm(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8" }).trim();
}

/** Like `until`, but checks less often. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(200);
}

/** Returns the ids of jobs that wait, run or are ending. */
export function jobsLeft(): string[] {
  return slurm("squeue", "--noheader", "--format=%i")
    .split("\n")
    .filter((line) => line !== "");
}

/** Kills everything on a node immediately, including Slurm's own processes, like a power failure. */
export function killNode(node: string): void {
  process.kill(Number(readFileSync(join(FOLDER, `slurmd.${node}.pid`), "utf8")), "SIGKILL");
  const tasks = processesOn(node);
  const steps = tasks.map((pid) => readParent(pid)).filter((pid) => readName(pid) === "slurmstepd");
  for (const pid of [...steps, ...tasks]) kill(pid);
}

/** Starts a node again, and waits until Slurm can use it. */
export async function startNode(node: string): Promise<void> {
  slurm("slurmd", "-f", join(FOLDER, "slurm.conf"), "-N", node);
  await eventually(() => /^(idle|mixed)$/.test(slurm("sinfo", "--noheader", `--nodes=${node}`, "--format=%T")));
}

/** Returns the ids of the step processes on a node. */
export function processesOn(node: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    const environment = readProc(pid, "environ").split("\0");
    const ours = environment.includes(`SLURM_CONF=${FOLDER}/slurm.conf`) && hasProgram(pid);
    return (
      ours &&
      environment.includes(`SLURMD_NODENAME=${node}`) &&
      environment.some((each) => each.startsWith("SLURM_STEP_ID="))
    );
  });
}

function readParent(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readProc(pid, "stat"))?.[1] ?? 0);
}

function readName(pid: number): string {
  return readProc(pid, "comm").trim();
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

/** Returns false for a zombie: a process that has ended, but whose parent has not read its status yet. */
function hasProgram(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== "";
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
