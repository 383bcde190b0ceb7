import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { planOptions } from "./support.js";

const addon =
  process.env["ROLLTAPE_ADDON_PATH"] ?? new URL("../../build/Release/rolltape.node", import.meta.url).pathname;

/** Loads the addon again, as every Node environment does. The addon then opens the driver again. */
export const LOAD = `
  const native = require(${JSON.stringify(addon)});
  const pack = (memory) => native.planBatch([], ${JSON.stringify(planOptions)}).pack({}, { memory });
  const attempt = async () => {
    const { reason } = native.pinnedMemory();
    const outcome = await pack("pinned").then(({ memory }) => ({ memory }), ({ code, message }) => ({ code, message }));
    return { reason, ...outcome };
  };
`;

export interface Attempt {
  readonly reason?: string;
  readonly memory?: string;
  readonly code?: string;
  readonly message?: string;
}

/** A worker thread that packs into pinned memory on request. */
export class PinnedWorker {
  readonly #worker = new Worker(
    `${LOAD}
    const kept = [];
    const { parentPort } = require("node:worker_threads");
    parentPort.on("message", async () => {
      parentPort.postMessage(await attempt());
      kept.push(await pack("pinned").catch(() => {}));
    });`,
    { eval: true },
  );

  constructor() {
    onTestFinished(() => this.end());
  }

  async attempt(): Promise<Attempt> {
    this.#worker.postMessage("pack");
    const [answer] = (await once(this.#worker, "message")) as [Attempt];
    return answer;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
