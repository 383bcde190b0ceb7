import type { Profiler } from "node:inspector";
import { describe, expect, it } from "vitest";
import { buildCallTree } from "../../../bench/profiling/call-tree.js";
import { drawFlameGraph } from "../../../bench/profiling/flame-graph.js";

const ADDON = new Set(["pack", "record"]);

function node(id: number, functionName: string, url: string, children: number[] = []): Profiler.ProfileNode {
  const callFrame = { functionName, url, scriptId: "0", lineNumber: 6, columnNumber: 0 };
  return { id, callFrame, children, hitCount: 0 };
}

/** `serve` calls `parse` by two paths of samples, and the addon. The thread is idle for a while. */
const PROFILE: Profiler.Profile = {
  nodes: [
    node(1, "(root)", "", [2, 3]),
    node(2, "(idle)", ""),
    node(3, "serve", "file:///home/a/dist/server/serve.js", [4, 5, 6]),
    node(4, "parse", "file:///home/a/node_modules/zod/core.js"),
    node(5, "parse", "file:///home/a/node_modules/zod/core.js"),
    node(6, "record", ""),
  ],
  startTime: 0,
  endTime: 100,
  samples: [3, 4, 5, 6, 2, 3],
  // The time of a sample is the delta of the next one.
  timeDeltas: [0, 10, 20, 30, 40, 50],
};

describe("the flame graph of a profile", () => {
  it("adds up the samples of each function and leaves out idle time", () => {
    const tree = buildCallTree(PROFILE, ADDON);
    expect(tree.microseconds).toBe(100);
    const [serve] = [...tree.callees.values()];
    expect(serve).toMatchObject({ name: "serve dist/server/serve.js:7", microseconds: 100 });
    expect([...(serve?.callees.values() ?? [])].map(({ name, microseconds }) => [name, microseconds])).toEqual([
      ["parse zod/core.js:7", 50],
      ["(native addon)", 40],
    ]);
  });

  it("draws each frame with its share and its time per call, and lists the parts without what they call", () => {
    const drawn = drawFlameGraph(buildCallTree(PROFILE, ADDON), 2, "a < b");
    expect(drawn).toContain("<title>a &lt; b</title>");
    expect(drawn).toContain("<title>serve dist/server/serve.js:7: 100.0%, 0.050 ms a call</title>");
    expect(drawn).toContain("<title>parse zod/core.js:7: 50.0%, 0.025 ms a call</title>");
    expect(drawn).toContain(">Rolltape 50%</text>");
    expect(drawn).toContain(">other packages 50%</text>");
    expect(drawn).toContain(">Node 0%</text>");
  });
});
