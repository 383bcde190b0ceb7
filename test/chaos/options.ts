import { parseArgs } from "node:util";

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** Runs two servers behind a gateway. */
  readonly gateway: boolean;
  /** Kills the controller and the workers of a rollout job instead of a server. */
  readonly rollout?: boolean;
  /** Kills or freezes each process of a rollout job, for each way to arrange them. */
  readonly jobs?: boolean;
  /** With `jobs`: only runs whose name has this text. */
  readonly only?: string;
  /** Drops file writes that were not synced at each kill. */
  readonly power: boolean;
  /** Sessions at the same time. */
  readonly concurrency: number;
  /** Longest time between a restart and the next kill. */
  readonly maxPauseSeconds: number;
  /** `storage.durability` of the server. With `none`, the test must find lost data. */
  readonly durability: "call" | "interval" | "none";
}

const DURABILITIES = ["call", "interval", "none"] as const;

/** Reads the command line. @throws Error that names the option that is wrong */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      gateway: { type: "boolean", default: false },
      rollout: { type: "boolean", default: false },
      jobs: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      power: { type: "boolean", default: false },
      concurrency: { type: "string", default: "16" },
      durability: { type: "string", default: "call" },
    },
  });
  const count = (name: "kills" | "seed" | "concurrency", least: number): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value >= least && value < 2 ** 31) return value;
    throw new Error(`--${name} must be an integer from ${least} to 2147483647; received ${values[name]}.`);
  };
  const durability = DURABILITIES.find((each) => each === values.durability);
  if (!durability) throw new Error(`--durability must be ${DURABILITIES.join(", ")}; received ${values.durability}.`);
  if (values.power && values.gateway) throw new Error("--power journals the file of one server: leave out --gateway.");
  return {
    kills: count("kills", 1),
    seed: count("seed", 0),
    gateway: values.gateway,
    rollout: values.rollout,
    jobs: values.jobs,
    only: values.only,
    power: values.power,
    concurrency: count("concurrency", 1),
    durability,
    maxPauseSeconds: 3,
  };
}
