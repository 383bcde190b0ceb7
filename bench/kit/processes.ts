import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createInterface } from "node:readline";

/** A child that prints one JSON line with its url when it is ready. */
export interface Child {
  readonly url: string;
  readonly pid: number;
  /** Processor time of all of its threads up to now. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Starts a program and waits for its ready line on standard output. */
export async function startChild(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Child> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  const { pid = 0, stdout } = child;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  };
  for await (const line of createInterface(stdout)) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return { url, pid, cpuSeconds: () => cpuSecondsOf(pid), stop };
  }
  throw new Error(`${command} ${args.join(" ")} ended before it was ready`);
}

/** Linux counts in hundredths of a second, for every program. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process up to now: user and system time are fields 14 and 15 of its `stat` file. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field, the command's name, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Processor time of the threads that a process has now, to the nanosecond, for measurements of less than a second. */
export function cpuSecondsOfThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + cpuSecondsOfThread(pid, Number(thread)), 0);
}

/** Processor time of one thread to the nanosecond. Node's first thread, which runs the event loop, has the id of the process. */
export function cpuSecondsOfThread(pid: number, thread = pid): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e9;
}

/** Processor time of a process and of all processes below it that run now. */
export function cpuSecondsOfTree(pid: number): number {
  return childrenOf(pid).reduce((seconds, child) => seconds + cpuSecondsOfTree(child), cpuSecondsOf(pid));
}

/** Returns the processes that any thread of a process has started. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

/**
 * Reads a line of the kernel's status file. `RssAnon` is memory that the kernel cannot drop: resident memory without mapped files. The kernel
 * keeps this sum; `smaps_rollup` would visit each page and stop the process meanwhile.
 */
export function readMebibytes(pid: number, name: "VmRSS" | "RssAnon"): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / 1024;
}

const INTERVAL_MS = 250;

/** Finds the largest anonymous memory of a process. */
export class MemoryPeak {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #mebibytes = 0;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#read(), INTERVAL_MS);
  }

  /** Returns the peak so far, in MiB. */
  stop(): number {
    clearInterval(this.#timer);
    this.#read();
    return this.#mebibytes;
  }

  #read(): void {
    this.#mebibytes = Math.max(this.#mebibytes, readMebibytes(this.#pid, "RssAnon"));
  }
}

/** Longer than any pause between the calls of a benchmark. */
const KEEP_ALIVE_MS = 120_000;

/** Serves HTTP on a free loopback port until SIGTERM. The first line of the process's output has the address. */
export function serveUntilTerminated(answer: RequestListener): void {
  const server = createServer(answer);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    console.log(JSON.stringify({ event: "ready", url: `http://127.0.0.1:${address.port}` }));
  });
  process.on("SIGTERM", () => server.close(() => process.exit()).closeAllConnections());
}
