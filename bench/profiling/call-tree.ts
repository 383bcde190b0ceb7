import type { Profiler } from "node:inspector";

/** A function on the stack, with its callees. Calls of the same function by the same caller are one frame. */
export interface Frame {
  /** Name of the function, file and line: `parse package/file.js:12`. Native functions have no file. */
  readonly name: string;
  readonly url: string;
  /** Time in this function and in what it calls, in microseconds. */
  microseconds: number;
  readonly callees: Map<string, Frame>;
}

/** Time in which the thread waits. */
const IDLE = "(idle)";

/**
 * Merges the samples of a CPU profile into one tree. The root is the whole time in which the thread was busy.
 *
 * @param addonFunctions names of the addon's functions. V8 calls all of them by the name of one, because they begin with the same code
 */
export function buildCallTree(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  addonFunctions: ReadonlySet<string>,
): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const root = createFrame("main thread", "");
  samples.forEach((sample, i) => {
    const stack: Profiler.ProfileNode[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const node = byId.get(id);
      if (node) stack.unshift(node);
    }
    if (stack.at(-1)?.callFrame.functionName === IDLE) return;
    // A sample stands for the time until the next.
    const microseconds = timeDeltas[i + 1] ?? 0;
    let frame = root;
    root.microseconds += microseconds;
    for (const { callFrame } of stack.slice(1)) {
      const isAddon = callFrame.url === "" && addonFunctions.has(callFrame.functionName);
      frame = findCallee(frame, isAddon ? { ...callFrame, functionName: "(native addon)" } : callFrame);
      frame.microseconds += microseconds;
    }
  });
  return root;
}

function findCallee(caller: Frame, { functionName, url, lineNumber }: Profiler.ProfileNode["callFrame"]): Frame {
  // Lines are counted from 0.
  const name = url === "" ? functionName : `${functionName || "(anonymous)"} ${shortPath(url)}:${lineNumber + 1}`;
  const found = caller.callees.get(name) ?? createFrame(name, url);
  caller.callees.set(name, found);
  return found;
}

const createFrame = (name: string, url: string): Frame => ({ name, url, microseconds: 0, callees: new Map() });

/** Returns the path in the npm package, in this project, or in Node. */
function shortPath(url: string): string {
  return url.replace(/.*\/node_modules\//, "").replace(/.*\/(?=(?:src|dist|bench)\/)/, "");
}
