import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of a process's descendants. A process whose parent has ended is not among them. */
export function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      parents.set(Number(name), Number(parent));
    } catch {
      // It has ended meanwhile.
    }
  }
  const childrenOf = (each: number): number[] =>
    [...parents].flatMap(([child, parent]) => (parent === each ? [child, ...childrenOf(child)] : []));
  return childrenOf(pid);
}
