import { parseArgs } from "node:util";
import { sized } from "../sized.js";

export interface FullOptions {
  readonly minutes: number;
  /** Memory of the server's cgroup. */
  readonly mebibytes: number;
}

/** Reads the command line. @throws Error that names the option that is wrong */
export function readOptions(args: readonly string[]): FullOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: String(sized(60, 0.2)) },
      memory: { type: "string", default: String(sized(2048, 1024)) },
    },
  });
  return { minutes: readNumber(values, "minutes", 0.05), mebibytes: readNumber(values, "memory", 512) };
}

function readNumber<Name extends string>(values: Readonly<Record<Name, string>>, name: Name, least: number): number {
  const value = Number(values[name]);
  if (value >= least && Number.isFinite(value)) return value;
  throw new Error(`--${name} must be a number of at least ${least}; received ${values[name]}.`);
}
