import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Memory and file descriptors of a process. */
interface Resources {
  /** Resident memory. */
  readonly mebibytes: number;
  readonly descriptors: number;
}

/** Watches memory and file descriptors of a process while it runs. */
export class ResourceWatch {
  readonly name: string;
  readonly start: Resources;
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #peak: Resources;
  #end: Resources;

  constructor(name: string, pid: number) {
    this.name = name;
    this.#pid = pid;
    this.start = readResources(pid);
    this.#peak = this.start;
    this.#end = this.start;
    this.#timer = setInterval(() => this.#look(), 200);
  }

  get peak(): Resources {
    return this.#peak;
  }

  get end(): Resources {
    return this.#end;
  }

  /** Waits until the process has no more descriptors than at its start, or until the time for it is over. */
  async stop(settleSeconds: number): Promise<void> {
    clearInterval(this.#timer);
    this.#look();
    const until = performance.now() + settleSeconds * 1000;
    while (this.#end.descriptors > this.start.descriptors && performance.now() < until) {
      await sleep(100);
      this.#look();
    }
  }

  /** Ends the watch at once. Further calls have no effect. */
  cancel(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#end = readResources(this.#pid);
    const descriptors = Math.max(this.#peak.descriptors, this.#end.descriptors);
    // The kernel keeps the peak of the memory.
    this.#peak = { mebibytes: readMebibytes(this.#pid, "VmHWM"), descriptors };
  }
}

function readResources(pid: number): Resources {
  return { mebibytes: readMebibytes(pid, "VmRSS"), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

/** Reads a line of the kernel's status file. */
function readMebibytes(pid: number, name: "VmRSS" | "VmHWM"): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / 1024;
}
