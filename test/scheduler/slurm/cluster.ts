import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The folder of the Slurm that scripts/slurm-test.sh has started. */
const FOLDER = process.env["SLURM_TEST_FOLDER"] ?? "";

export function slurm(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8" }).trim();
}

/** As `until`, for what is not asked so often. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(200);
}

/** Jobs that wait, run, or are being ended. */
export function jobsLeft(): string[] {
  return slurm("squeue", "--noheader", "--format=%i")
    .split("\n")
    .filter((line) => line !== "");
}

/** Ends all that runs on a node at once, Slurm's own processes too, as a loss of power would. */
export function killNode(node: string): void {
  process.kill(Number(readFileSync(join(FOLDER, `slurmd.${node}.pid`), "utf8")), "SIGKILL");
  const tasks = processesOn(node);
  const steps = tasks.map((pid) => readParent(pid)).filter((pid) => readName(pid) === "slurmstepd");
  for (const pid of [...steps, ...tasks]) kill(pid);
}

/** Brings a node back. */
export async function startNode(node: string): Promise<void> {
  slurm("slurmd", "-f", join(FOLDER, "slurm.conf"), "-N", node);
  await eventually(() => /^(idle|mixed)$/.test(slurm("sinfo", "--noheader", `--nodes=${node}`, "--format=%T")));
}

/** Processes of steps on a node. */
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

/** One that has ended and waits to be collected has none. */
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
