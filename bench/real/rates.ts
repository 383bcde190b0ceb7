import { Pool } from "undici";
import { cpuSecondsOfTree } from "../kit/processes.js";
import type { Prompt } from "./prompts.js";
import type { Way } from "./ways.js";

/** Process ids of the servers whose processor time is measured. */
export interface Servers {
  readonly rolltape: number;
  /** Undefined if the engine was not started here. */
  readonly engine: number | undefined;
}

export interface Rate {
  readonly perSecond: number;
  /** Processor time of a call, in milliseconds. NaN if unknown. */
  readonly rolltape: number;
  readonly engine: number;
}

/** Sends a call for each prompt, so many at once. Every call must succeed. */
export async function measureRate(way: Way, prompts: readonly Prompt[], open: number, servers: Servers): Promise<Rate> {
  const pool = new Pool(way.origin, { connections: open, headersTimeout: 0, bodyTimeout: 0 });
  let next = 0;
  const work = async (worker: number) => {
    for (let prompt = prompts[next++]; prompt; prompt = prompts[next++]) {
      const request = way.toRequest(prompt, worker);
      const { statusCode, body } = await pool.request({ method: "POST", path: way.path, ...request });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${way.name} answered ${statusCode}: ${text.slice(0, 500)}`);
    }
  };
  const before = readCpu(servers);
  const began = performance.now();
  await Promise.all(Array.from({ length: open }, (_, worker) => work(worker)));
  const seconds = (performance.now() - began) / 1000;
  const after = readCpu(servers);
  await pool.destroy();
  return {
    perSecond: prompts.length / seconds,
    rolltape: (after.rolltape - before.rolltape) / prompts.length,
    engine: (after.engine - before.engine) / prompts.length,
  };
}

function readCpu({ rolltape, engine }: Servers): { readonly rolltape: number; readonly engine: number } {
  return {
    rolltape: cpuSecondsOfTree(rolltape) * 1000,
    engine: engine === undefined ? Number.NaN : cpuSecondsOfTree(engine) * 1000,
  };
}
