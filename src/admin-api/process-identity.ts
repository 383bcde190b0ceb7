import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";

/**
 * Identifies a process, also after its process id was given to another process. Optional fields are absent where the operating
 * system does not report them: only Linux does.
 */
export const processIdentity = z.object({
  host: z.string(),
  pid: z.int(),
  /** Differs between two starts of a machine, and between machines with the same host name. */
  boot_id: z.string().optional(),
  /** Namespace of the process id, such as a container. The same id names another process in another namespace. */
  pid_namespace: z.string().optional(),
  /** Start time in clock ticks since the start of the machine. */
  started: z.string().optional(),
});

export type ProcessIdentity = z.output<typeof processIdentity>;

/** Returns the identity of this process. */
export function identifyProcess(): ProcessIdentity {
  const { pid } = process;
  const boot_id = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const pid_namespace = attempt(() => readlinkSync("/proc/self/ns/pid"));
  return { host: hostname(), pid, boot_id, pid_namespace, started: readStat(pid)?.started };
}

export function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return isNeighbour(one, other) && one.pid === other.pid && one.started === other.started;
}

/** Returns true only if the process certainly ended. Processes of other machines and namespaces cannot be checked. */
export function hasProcessEnded(other: ProcessIdentity, own: ProcessIdentity = identifyProcess()): boolean {
  const isKnown = [other.boot_id, other.pid_namespace, other.started].every((field) => field !== undefined);
  if (!isKnown || !isNeighbour(other, own)) return false;
  if (!exists(other.pid)) return true;
  const stat = readStat(other.pid);
  // If it cannot be read, the process may run but be hidden from this user.
  return stat !== undefined && (stat.isZombie || stat.started !== other.started);
}

function isNeighbour(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.host === other.host && one.boot_id === other.boot_id && one.pid_namespace === other.pid_namespace;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Fields of `/proc/<pid>/stat` (proc(5)): the state is field 3, the start time field 22. */
function readStat(pid: number): { readonly isZombie: boolean; readonly started: string } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (text === undefined) return undefined;
  // Field 2 is the name in parentheses, which may contain spaces and parentheses.
  const [state = "", ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const started = rest[18];
  return started === undefined ? undefined : { isZombie: state === "Z" || state === "X", started };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
