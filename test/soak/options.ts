import { parseArgs } from "node:util";

export interface SoakOptions {
  /** Model calls, retries included. */
  readonly calls: number;
  readonly sessions: number;
  readonly seed: number;
  /** Runs two workers behind a gateway. */
  readonly gateway: boolean;
  /** Seconds after which no new session starts. */
  readonly duration: number;
  /** Sessions at the same time. */
  readonly concurrency: number;
  /**
   * Seconds that the servers have after the load to close its connections. A gateway keeps idle connections to its workers for 70
   * seconds. 0: what the servers still hold is not checked.
   */
  readonly settleSeconds: number;
}

/** Reads the command line. @throws Error that names the option that is wrong */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: "string", default: "10000" },
      sessions: { type: "string", default: "600" },
      seed: { type: "string", default: "1" },
      gateway: { type: "boolean", default: false },
      duration: { type: "string" },
      concurrency: { type: "string", default: "40" },
    },
  });
  const count = (name: "calls" | "sessions" | "seed" | "concurrency", least: number): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value >= least && value < 2 ** 31) return value;
    throw new Error(`--${name} must be an integer from ${least} to 2147483647; received ${values[name]}.`);
  };
  const duration = values.duration === undefined ? Number.POSITIVE_INFINITY : Number(values.duration);
  if (!(duration > 0)) throw new Error(`--duration must be a number of seconds above 0; received ${values.duration}.`);
  const calls = count("calls", 1);
  const sessions = count("sessions", 1);
  if (sessions > calls) throw new Error(`--sessions must be at most --calls (${calls}); received ${sessions}.`);
  return {
    calls,
    sessions,
    seed: count("seed", 0),
    settleSeconds: 90,
    gateway: values.gateway,
    duration,
    concurrency: count("concurrency", 1),
  };
}
