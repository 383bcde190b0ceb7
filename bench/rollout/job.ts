import { type Agent, connectProxy, ProxyWorkflow, RolloutController } from "../../src/index.js";
import type { TaskResult } from "../../src/job/task.js";
import type { ConnectedProxy } from "../../src/rollout/connect.js";
import { cpuSecondsOf } from "../kit/processes.js";
import { ADMIN_KEY } from "../kit/servers.js";
import { sized } from "../kit/sized.js";
import { TURNS } from "./agents.js";

export const CONCURRENT = sized(256, 4);
/** Episodes that are exported as one block. */
export const BATCH = sized(256, 4);

/** The processes of a job, as their ids. */
export interface Pids {
  readonly worker: number;
  readonly proxy: number;
  readonly engine: number;
}

export interface JobTimes {
  readonly episodes: number;
  readonly seconds: number;
  /** Milliseconds of processor time for each turn. */
  readonly cpu: Readonly<Record<keyof Pids, number>>;
}

/** What `rolltape rollout` does besides with the episodes of a job. */
export interface Recorder {
  add(result: TaskResult): void;
  settled(sessionIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Runs so many episodes of an agent, always {@link CONCURRENT} at once, and exports them as they come. */
export async function runJob(
  agent: Agent<number>,
  url: string,
  episodes: number,
  pids: Pids,
  openRecorder?: (proxy: ConnectedProxy) => Promise<Recorder | undefined>,
): Promise<JobTimes> {
  await using proxy = connectProxy({ url, adminKey: ADMIN_KEY });
  const recorder = await openRecorder?.(proxy);
  let reason: string | undefined;
  const controller = new RolloutController(new ProxyWorkflow(agent), proxy, {
    maxConcurrentRollouts: CONCURRENT,
    maxStaleness: Math.ceil(episodes / BATCH),
    consumerBatchSize: BATCH,
    onResult: (result) => {
      reason ??= result.rejected[0]?.reason.message;
      recorder?.add(result);
    },
  });
  const before = read(pids);
  const started = performance.now();
  for (let task = 0; task < episodes; task++) controller.submit(task);
  controller.finish();
  let accepted = 0;
  for (let batch = await controller.waitBatch(); batch; batch = await controller.waitBatch()) {
    accepted += batch.tasks.length;
    await batch.export();
    await recorder?.settled(batch.sessionIds);
  }
  await recorder?.close();
  const seconds = (performance.now() - started) / 1000;
  if (accepted < episodes) throw new Error(`${episodes - accepted} episodes were rejected: ${reason}`);
  return { episodes, seconds, cpu: perTurn(before, read(pids), episodes * TURNS) };
}

type Reading = Readonly<Record<keyof Pids, number>>;

function read({ worker, proxy, engine }: Pids): Reading {
  return { worker: cpuSecondsOf(worker), proxy: cpuSecondsOf(proxy), engine: cpuSecondsOf(engine) };
}

function perTurn(before: Reading, after: Reading, turns: number): JobTimes["cpu"] {
  const of = (process: keyof Pids) => ((after[process] - before[process]) * 1000) / turns;
  return { worker: of("worker"), proxy: of("proxy"), engine: of("engine") };
}
