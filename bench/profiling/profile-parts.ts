import type { Profiler } from "node:inspector";

/** Share of the main thread's busy time by part, largest first. They add up to 1. */
export type Parts = ReadonlyMap<string, number>;

/** What V8 calls time that belongs to no function. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  ["(garbage collector)", "collecting garbage"],
  ["(program)", "system calls and Node's native code"],
]);
const NOT_BUSY = new Set(["(idle)", "(root)"]);

/**
 * Splits a CPU profile by where the functions stand that were running: rooms of this project, npm packages, Node's own
 * modules. A native function (JSON.parse, the addon, a write to a socket) is counted as part of its caller.
 */
export function partsOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Parts {
  const partOfNode = partByNode(nodes);
  const times = new Map<string, number>();
  let total = 0;
  samples.forEach((id, i) => {
    const part = partOfNode.get(id);
    // A sample stands for the time until the next.
    const microseconds = timeDeltas[i + 1] ?? 0;
    if (part === undefined) return;
    times.set(part, (times.get(part) ?? 0) + microseconds);
    total += microseconds;
  });
  return new Map([...times].map(([part, time]) => [part, time / total] as const).toSorted(([, a], [, b]) => b - a));
}

function partByNode(nodes: readonly Profiler.ProfileNode[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parts = new Map<number, string>();
  const pending: [number, string][] = nodes.slice(0, 1).map(({ id }) => [id, "system calls and Node's native code"]);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [id, caller] = next;
    const node = byId.get(id);
    if (!node) continue;
    const { functionName, url } = node.callFrame;
    const part = OWN_NAMES.get(functionName) ?? partOfFile(url) ?? caller;
    if (!NOT_BUSY.has(functionName)) parts.set(id, part);
    for (const child of node.children ?? []) pending.push([child, part]);
  }
  return parts;
}

/** Undefined for a native function. */
function partOfFile(url: string): string | undefined {
  if (url === "") return undefined;
  const packaged = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (packaged) return packaged[1];
  const room = /\/(?:src|dist)\/([^/]+)\/(?:[^/]+)/.exec(url);
  if (room) return `src/${room[1]}`;
  return url.startsWith("node:") ? "Node's modules" : "the benchmark";
}
