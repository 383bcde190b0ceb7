import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataUrl, makePng, pngChunk } from "../../../test/helpers/images.js";
import { writeVisionFiles } from "../../../test/helpers/vision-files.js";
import { user } from "../../kit/bodies.js";
import { type Target, toTarget } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import { cpuSecondsOfThread } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { callTurns, startTurns, type Turns } from "../rig.js";

/**
 * Measures how much processor time of the main thread an image adds to a later turn. Part of it is receiving the body, which a bare Node
 * server shows. Calls run concurrently: after idle milliseconds the same code takes twice as long, and the result would depend on the speed
 * of the load generator.
 */

const IMAGE_BYTES = sized(1 << 20, 1 << 16);
const CONCURRENCY = 6;
const CALLS = sized(120, 6);
const ROUNDS = sized(20, 1, 3);
const WARM_UP_ROUNDS = 2;
/** Maximum ratio of what an image costs here to what receiving it costs. */
const TARGET = 2;

export async function images(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const engine = await startScript(new URL("../vision-engine-process.ts", import.meta.url));
  const bare = await startScript(new URL("../receive-process.ts", import.meta.url));
  await writeVisionFiles(folder);
  const args = ["engine.type=vllm", `model.path=${folder}`, "rollout.agent.images=tokens"];
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENCY, args });
  const [recorder, receiver] = [toTarget(proxy, CONCURRENCY), toTarget(bare, CONCURRENCY)];
  try {
    const conversations = Array.from({ length: CONCURRENCY }, (_, i) => i);
    const text = await Promise.all(conversations.map(() => startTurns(recorder, [user("What is this?")])));
    const seen = await Promise.all(conversations.map(() => startTurns(recorder, [showImage()])));
    const added: number[] = [];
    const received: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const addedBy = async (target: Target) => {
        const without = await loopTime(target, text);
        return (await loopTime(target, seen)) - without;
      };
      const [here, there] = [await addedBy(recorder), await addedBy(receiver)];
      if (round < 0) continue;
      added.push(here);
      received.push(there);
    }
    const [here, there] = [median(added), median(received)];
    return [
      {
        what: `processor time of the main thread that an image of ${IMAGE_BYTES >> 10} KiB adds to a later turn`,
        measured: `${here.toFixed(2)} ms a call`,
        reference: `${there.toFixed(2)} ms for receiving it with a bare server`,
        verdict: { value: here / there, target: TARGET, bound: "at most", unit: "x" },
      },
    ];
  } finally {
    await Promise.all([recorder.pool.destroy(), receiver.pool.destroy()]);
    for (const each of [proxy, bare, engine]) await each.stop();
    rmSync(folder, { recursive: true });
  }
}

function showImage(): object {
  const file = makePng(100, 60, 0, [pngChunk("tEXt", randomBytes(IMAGE_BYTES))]);
  const text = { type: "text", text: "What is this?" };
  return { role: "user", content: [text, { type: "image_url", image_url: { url: dataUrl(file) } }] };
}

/** Makes calls. Returns the processor time of the server's main thread for one, in milliseconds. */
async function loopTime(server: Target, conversations: readonly Turns[]): Promise<number> {
  const before = cpuSecondsOfThread(server.pid);
  await callTurns(server, conversations, CALLS);
  return ((cpuSecondsOfThread(server.pid) - before) * 1000) / CALLS;
}
