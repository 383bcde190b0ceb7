import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the kernel shows the cgroups, and which files of a cgroup have its memory. */
interface Version {
  readonly root: string;
  readonly limit: string;
  readonly peak: string;
  /** Has a line `oom_kill COUNT`. */
  readonly kills: string;
}

const V1: Version = {
  root: "/sys/fs/cgroup/memory",
  limit: "memory.limit_in_bytes",
  peak: "memory.max_usage_in_bytes",
  kills: "memory.oom_control",
};
const V2: Version = { root: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak", kills: "memory.events" };

/**
 * A cgroup with a memory limit, below the cgroup of this process. If its processes need more memory, the kernel kills one of them.
 */
export class MemoryCgroup {
  readonly #folder: string;
  readonly #version: Version;

  private constructor(folder: string, version: Version) {
    this.#folder = folder;
    this.#version = version;
  }

  /** @throws Error if this machine or this user cannot limit the memory of processes */
  static create(bytes: number): MemoryCgroup {
    const memberships = readFileSync("/proc/self/cgroup", "utf8").split("\n");
    const pathOf = (controllers: RegExp) => memberships.find((line) => controllers.test(line))?.split(":")[2];
    const v1 = pathOf(/^\d+:([^:]*,)?memory(,[^:]*)?:/);
    const [version, path] = v1 === undefined ? [V2, pathOf(/^0::/) ?? "/"] : [V1, v1];
    const folder = join(version.root, path, `rolltape-full-${process.pid}`);
    mkdirSync(folder);
    const cgroup = new MemoryCgroup(folder, version);
    try {
      cgroup.#limit(bytes);
    } catch (cause) {
      cgroup.remove();
      throw new Error(`${folder} has no memory limit`, { cause });
    }
    return cgroup;
  }

  /** Returns the command line that runs a program in the cgroup, in the process that is started. */
  wrap(program: string, args: readonly string[]): [program: string, args: string[]] {
    const script = 'echo $$ > "$0"/cgroup.procs && exec "$@"';
    return ["sh", ["-c", script, this.#folder, program, ...args]];
  }

  /** Largest use of memory so far, including the kernel's buffers. Undefined if the kernel does not tell. */
  get peakBytes(): number | undefined {
    const file = join(this.#folder, this.#version.peak);
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
  }

  /** Number of processes that the kernel killed because of the limit. */
  get kills(): number {
    const text = readFileSync(join(this.#folder, this.#version.kills), "utf8");
    return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Removes the cgroup. Its processes must have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }

  #limit(bytes: number): void {
    writeFileSync(join(this.#folder, this.#version.limit), String(bytes));
    // Otherwise the server would go on in swap space.
    const swap = this.#version === V1 ? ["memory.memsw.limit_in_bytes", String(bytes)] : ["memory.swap.max", "0"];
    const [name = "", value = ""] = swap;
    const file = join(this.#folder, name);
    if (existsSync(file)) writeFileSync(file, value);
  }
}
