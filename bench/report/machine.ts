import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { z } from "zod";

export const machineSchema = z.object({
  /** Model of the processor. */
  cpu: z.string(),
  cores: z.number().int().positive(),
  memoryBytes: z.number().positive(),
  /** Kernel and its version. */
  system: z.string(),
  node: z.string(),
  /** File system and device of the folder that the benchmark wrote to, where that matters. */
  fileSystem: z.string().optional(),
});

/** The machine that a benchmark ran on. */
export type Machine = z.infer<typeof machineSchema>;

/** @param folder that the benchmark writes to, if its file system matters */
export function readMachine(folder?: string): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown processor",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    node: process.version,
    ...(folder !== undefined && { fileSystem: readFileSystem(folder) }),
  };
}

export function formatMachine({ cpu, cores, memoryBytes, system, node, fileSystem }: Machine): string {
  const memory = `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  const parts = [cpu, `${cores} ${cores === 1 ? "core" : "cores"}`, memory, system, `Node ${node}`];
  return [...parts, ...(fileSystem === undefined ? [] : [fileSystem])].join(", ");
}

/** Returns type and device of the mount that has the folder: the longest mount point that begins its path. */
function readFileSystem(folder: string): string {
  const path = `${realpathSync(folder)}/`;
  const mounts = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, point = ""]) => path.startsWith(point.endsWith("/") ? point : `${point}/`))
    // Of two mounts at one point, the later one is visible.
    .toSorted(([, a = ""], [, b = ""]) => a.length - b.length);
  const [device, , kind] = mounts.at(-1) ?? [];
  return kind === undefined ? "unknown file system" : `${kind} on ${device}`;
}
