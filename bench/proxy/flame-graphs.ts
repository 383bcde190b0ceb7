import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { native } from "../../src/native/addon.js";
import { buildCallTree } from "../profiling/call-tree.js";
import { drawFlameGraph } from "../profiling/flame-graph.js";
import { partsOf } from "../profiling/profile-parts.js";
import { Profiling } from "../profiling/profiling.js";
import { QWEN3 } from "../qwen3.js";
import { history, SIZES } from "./bodies.js";
import { load, startTurns } from "./load.js";
import { chat, Rig } from "./rig.js";

/**
 * Writes flame graphs of the proxy's main thread in bench/images, under the loads of `bench:proxy`. Look at each one before you commit it.
 *
 *   npm run docs:flame-graphs [-- NAME…]
 */

interface ProfiledLoad {
  readonly size: keyof typeof SIZES;
  readonly type: "hf" | "concat";
  readonly concurrency: number;
  /** Folder of the model. Default: the tiny model's. */
  readonly model?: string;
}

const LOADS: Readonly<Record<string, ProfiledLoad>> = {
  "small-1": { size: "small", type: "hf", concurrency: 1 },
  "small-32": { size: "small", type: "hf", concurrency: 32 },
  "medium-32": { size: "medium", type: "hf", concurrency: 32 },
  "large-32": { size: "large", type: "hf", concurrency: 32 },
  "concat-small-32": { size: "small", type: "concat", concurrency: 32 },
  "concat-medium-32": { size: "medium", type: "concat", concurrency: 32 },
  "concat-large-32": { size: "large", type: "concat", concurrency: 32 },
  "qwen3-concat-medium-32": { size: "medium", type: "concat", concurrency: 32, model: QWEN3 },
};
const [WARM_UP_SECONDS, SECONDS] = [6, 8];
const ADDON_FUNCTIONS = new Set(Object.keys(native));
const FOLDER = new URL("../images/", import.meta.url);

async function profile(name: string, { size, type, concurrency, model }: ProfiledLoad): Promise<void> {
  using profiling = new Profiling();
  const { nodeArguments, env } = profiling;
  const rig = await Rig.start(concurrency, {
    args: [`rollout.agent.chat_template_type=${type}`, ...(model === undefined ? [] : [`model.path=${model}`])],
    nodeArguments,
    env,
  });
  try {
    const turns = await Promise.all(
      Array.from({ length: concurrency }, (_, worker) => startTurns(rig, history(SIZES[size], worker))),
    );
    const run = (seconds: number) =>
      load(rig.proxy, { concurrency, seconds }, (worker) =>
        chat(rig.proxy, turns[worker]?.key ?? "", turns[worker]?.next() ?? ""),
      );
    await run(WARM_UP_SECONDS);
    let calls = 0;
    const { proxy } = await profiling.during(rig.proxy.pid, async () => {
      calls = (await run(SECONDS)).perSecond * SECONDS;
    });
    const tree = buildCallTree(proxy, ADDON_FUNCTIONS);
    const vocabulary = model === undefined ? "" : ", Qwen3's vocabulary";
    const title = `Main thread of the proxy: ${size} bodies, ${type}${vocabulary}, ${concurrency} at once`;
    const file = fileURLToPath(new URL(`flame-${name}.svg`, FOLDER));
    writeFileSync(file, drawFlameGraph(tree, calls, title));
    console.log(`${title}: ${(tree.microseconds / calls / 1000).toFixed(2)} ms a call; wrote ${file}`);
    for (const [part, share] of partsOf(proxy))
      if (share >= 0.01) console.log(`  ${(share * 100).toFixed(1)}% ${part}`);
  } finally {
    await rig.close();
  }
}

const chosen = process.argv.slice(2);
for (const [name, profiled] of Object.entries(LOADS))
  if (chosen.length === 0 || chosen.includes(name)) await profile(name, profiled);
