import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { history, SIZES } from "../../kit/bodies.js";
import { median } from "../../kit/measure.js";
import { cpuSecondsOfThread, cpuSecondsOfThreads } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { callTurns, Reference, Rig, startTurns, type Turns } from "../rig.js";

/**
 * Measures the processor time of the main thread that traces add to a call, which limits how many calls a proxy can take. A separate
 * thread makes and sends the spans; the processor time of all threads is shown beside it. Two proxies take turns, one without traces and
 * one that sends them. Each of several pairs of processes is another sample, because the same code takes a few percent more or less in
 * each process.
 */

const PAIRS = sized(6, 1, 3);
const ROUNDS = sized(16, 1, 8);
const CALLS = sized(500, 10, 300);
/** Calls before the first round. They let Node compile the code. */
const WARM_UP_CALLS = sized(4000, 10, 2000);
const CONCURRENCY = 32;
/** Maximum by which a call may take longer if so many traces are sampled, in percent. */
const CASES = sized(
  [
    { ratio: 0.1, target: 3 },
    { ratio: 1, target: undefined },
  ],
  [{ ratio: 0.1, target: 3 }],
);

export async function traces(): Promise<Row[]> {
  const reference = await Reference.start();
  const collector = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  try {
    const rows: Row[] = [];
    for (const { ratio, target } of CASES) rows.push(await measure(reference, url, ratio, target));
    return rows;
  } finally {
    collector.close();
    collector.closeAllConnections();
    await reference.stop();
  }
}

async function measure(reference: Reference, url: string, ratio: number, target: number | undefined): Promise<Row> {
  const added: number[] = [];
  const ofAllThreads: number[] = [];
  const milliseconds: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const off = await Caller.start(reference, []);
    const on = await Caller.start(reference, [`telemetry.otlp_url=${url}`, `telemetry.sample_ratio=${ratio}`]);
    const rounds: CallTime[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      // The order alternates, so that a machine that becomes faster or slower favors neither.
      const first = await (round % 2 === 0 ? off : on).run(CALLS);
      const second = await (round % 2 === 0 ? on : off).run(CALLS);
      const [without, traced] = round % 2 === 0 ? [first, second] : [second, first];
      rounds.push({ loop: traced.loop / without.loop - 1, all: traced.all / without.all - 1 });
      milliseconds.push(without.loop);
    }
    added.push(median(rounds.map(({ loop }) => loop)) * 100);
    ofAllThreads.push(median(rounds.map(({ all }) => all)) * 100);
    await off.close();
    await on.close();
  }
  const value = median(added);
  const spread = `${Math.min(...added).toFixed(1)} to ${Math.max(...added).toFixed(1)}`;
  return {
    what: `small bodies, ${ratio * 100}% of the traces sampled: processor time of the main thread added to a call`,
    measured:
      `${value.toFixed(1)}% (${spread} in ${PAIRS} pairs of processes); ` +
      `of all threads ${median(ofAllThreads).toFixed(1)}%`,
    reference: `${median(milliseconds).toFixed(3)} ms without traces`,
    ...(target === undefined ? {} : { verdict: { value, target, bound: "at most", unit: "%" } }),
  };
}

/** Processor time of a call in milliseconds. */
interface CallTime {
  readonly loop: number;
  readonly all: number;
}

/** A proxy with a session for each of the calls that run at once. */
class Caller {
  readonly #rig: Rig;
  readonly #turns: readonly Turns[];

  private constructor(rig: Rig, turns: readonly Turns[]) {
    this.#rig = rig;
    this.#turns = turns;
  }

  static async start(reference: Reference, args: readonly string[]): Promise<Caller> {
    const rig = await Rig.start(CONCURRENCY, { args, reference });
    const workers = Array.from({ length: CONCURRENCY }, (_, worker) =>
      startTurns(rig.proxy, history(SIZES.small, worker)),
    );
    const caller = new Caller(rig, await Promise.all(workers));
    await caller.run(WARM_UP_CALLS);
    return caller;
  }

  /** Makes so many calls. */
  async run(calls: number): Promise<CallTime> {
    const { proxy } = this.#rig;
    const { pid } = proxy;
    const before = { loop: cpuSecondsOfThread(pid), all: cpuSecondsOfThreads(pid) };
    await callTurns(proxy, this.#turns, calls);
    const each = (seconds: number) => (seconds * 1000) / calls;
    return { loop: each(cpuSecondsOfThread(pid) - before.loop), all: each(cpuSecondsOfThreads(pid) - before.all) };
  }

  close(): Promise<void> {
    return this.#rig.close();
  }
}
