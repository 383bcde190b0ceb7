import type { ServerPair, Side } from "./pair.js";
import { quantile } from "./quantile.js";

export interface Load {
  readonly perSecond: number;
  readonly p50: number;
  /** Processor time of the server for a call, in milliseconds. */
  readonly cpu: number;
}

export interface OpenCalls {
  readonly openCalls: number;
  readonly seconds: number;
}

/** Keeps calls open for a while: each that ends is followed by the next. */
export async function keepOpen(pair: ServerPair, side: Side, { openCalls, seconds }: OpenCalls): Promise<Load> {
  const times: number[] = [];
  const cpuBefore = pair.cpuSeconds(side);
  const began = performance.now();
  const work = async (session: number) => {
    while (performance.now() - began < seconds * 1000) {
      const started = performance.now();
      await pair.call(side, session);
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: openCalls }, (_, session) => work(session)));
  const perSecond = times.length / ((performance.now() - began) / 1000);
  return {
    perSecond,
    p50: quantile(times, 0.5),
    cpu: ((pair.cpuSeconds(side) - cpuBefore) * 1000) / times.length,
  };
}
