import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A child that prints one JSON line with its url when it is ready. */
export interface Child {
  readonly url: string;
  /** Address of its port for probes, if it has one. */
  readonly probeUrl: string | undefined;
  readonly pid: number;
  /** Processor time of all of its threads up to now. */
  cpuSeconds(): number;
  /** How it ended: `status 0` or `signal SIGKILL`, for example. Undefined while it runs. */
  readonly exit: string | undefined;
  stop(): Promise<void>;
}

interface ReadyLine {
  readonly url: string;
  readonly probe_url?: string;
}

/** Starts a program and waits for its ready line on standard output. */
export async function startChild(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  const { url, probe_url: probeUrl } = await readReadyLine(child, `${command} ${args.join(" ")}`);
  return {
    url,
    probeUrl,
    pid: child.pid ?? 0,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    get exit() {
      if (child.signalCode !== null) return `signal ${child.signalCode}`;
      return child.exitCode === null ? undefined : `status ${child.exitCode}`;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function readReadyLine(child: ChildProcess, name: string): Promise<ReadyLine> {
  if (!child.stdout) throw new Error("the child has no standard output");
  for await (const line of createInterface(child.stdout)) {
    const ready = JSON.parse(line) as Partial<ReadyLine>;
    if (ready.url) return { ...ready, url: ready.url };
  }
  throw new Error(`${name} ended before it was ready`);
}

/** Linux counts in hundredths of a second, for every program. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process up to now. */
export function cpuSecondsOf(pid: number): number {
  return readSeconds(`/proc/${pid}/stat`);
}

/** Processor time of a process and of all processes below it that run now. */
export function cpuSecondsOfTree(pid: number): number {
  return childrenOf(pid).reduce((seconds, child) => seconds + cpuSecondsOfTree(child), cpuSecondsOf(pid));
}

/**
 * Returns the processor time of a process and of those below it, in milliseconds. The scheduler counts it in nanoseconds for each thread;
 * `stat` has hundredths of a second only. Threads that have ended are missing.
 */
export function cpuMillisecondsOfTree(pid: number): number {
  const own = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + readThread(pid, thread), 0);
  return childrenOf(pid).reduce((sum, child) => sum + cpuMillisecondsOfTree(child), own);
}

function readThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    // It ended after the folder was read.
    return 0;
  }
}

/** Returns the processes that any thread of a process has started. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function readSeconds(file: string): number {
  const { user, system } = readTimes(file);
  return user + system;
}

/** User and system time: fields 14 and 15 of a `stat` file, counted behind the command's name. */
function readTimes(file: string): { readonly user: number; readonly system: number } {
  const stat = readFileSync(file, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { user: Number(fields[11]) / TICKS_PER_SECOND, system: Number(fields[12]) / TICKS_PER_SECOND };
}

/** Memory and file descriptors of a process. */
export interface Resources {
  /** Resident memory. */
  readonly mebibytes: number;
  readonly descriptors: number;
}

export function readResources(pid: number): Resources {
  return { mebibytes: readMebibytes(pid, "VmRSS"), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** Reads a line of the kernel's status file. */
export function readMebibytes(pid: number, name: "VmRSS" | "VmHWM"): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / 1024;
}
