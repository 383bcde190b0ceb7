import { type Command, InvalidArgumentError, Option } from "commander";
import { type ConfigOptions, withConfigOptions } from "../config-options.js";

export interface RolloutOptions extends ConfigOptions {
  /** Import string of an agent or a workflow. */
  readonly agent?: string;
  /** A program as the agent. */
  readonly command?: readonly [string, ...string[]];
  readonly data: string;
  readonly out: string;
  readonly groupSize?: number;
  /** Seconds of one episode. */
  readonly timeout?: number;
  readonly layout: "padded" | "packed" | "tree";
  /** Proxies in processes of their own, where it is more than 1. */
  readonly proxyWorkers?: number;
  /** A proxy or gateway that runs already. */
  readonly proxy?: string;
  /** A program that trains on each batch. */
  readonly trainer?: readonly [string, ...string[]];
  /** Seconds that a batch that cannot be written is tried again. */
  readonly writeWait?: number;
  /** Weight version that there is at the start. */
  readonly fromVersion?: number;
}

/** Declares what `rolltape rollout` takes. */
export function withRolloutOptions(command: Command): Command {
  return withConfigOptions(command)
    .addOption(new Option("-a, --agent <file>", "agent or workflow: a file or package, or module#export"))
    .addOption(
      new Option("--command <program>", "a program as the agent: words, or a JSON list of them")
        .argParser(parseCommand)
        .conflicts("agent"),
    )
    .requiredOption("-d, --data <file>", "tasks: one JSON value on each line, or one JSON array")
    .requiredOption("-o, --out <file>", "safetensors file that the batch is written to")
    .option(
      "-g, --group-size <n>",
      "episodes of each task",
      parsePositive("a whole number of at least 1", Number.isInteger),
    )
    .option("--timeout <seconds>", "time of one episode", parsePositive("seconds", Number.isFinite))
    .option(
      "--proxy-workers <n>",
      "proxies in processes of their own, behind one address",
      parsePositive("a whole number of at least 1", Number.isInteger),
    )
    .addOption(
      new Option("--proxy <url>", "a proxy or gateway that runs already").argParser(parseUrl).conflicts("proxyWorkers"),
    )
    .addOption(
      new Option("--trainer <program>", "a program that trains on each batch: words, or a JSON list").argParser(
        parseCommand,
      ),
    )
    .option(
      "--write-wait <seconds>",
      "how long a batch that cannot be written is tried again (default: 60; on a terminal until Ctrl-C)",
      parseSeconds,
    )
    .option("--from-version <n>", "weight version that there is at the start", parseVersion)
    .addOption(
      new Option("--layout <layout>", "layout of the batch").choices(["padded", "packed", "tree"]).default("padded"),
    );
}

function parseCommand(text: string): [string, ...string[]] {
  const words: unknown = text.trimStart().startsWith("[")
    ? parseList(text)
    : text.split(/\s+/).filter((word) => word !== "");
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) {
    const [file, ...args] = words;
    if (file !== undefined) return [file, ...args];
  }
  throw new InvalidArgumentError("Expected a program and its arguments.");
}

function parseList(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("Expected an http or https URL.");
}

function parseSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError("Expected seconds, 0 or more.");
}

function parseVersion(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("Expected a whole number of at least 0.");
}

/** Reads a number above 0 that is one of the expected kind. */
export function parsePositive(expected: string, isOne: (value: number) => boolean): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && isOne(value) && value > 0) return value;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}
