import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { type ConfigOptions, withConfigOptions } from "../config-options.js";
import { optionValue } from "../option-value.js";

const COUNT = z.int().min(1);

export interface RolloutOptions extends ConfigOptions {
  /** Import string of an agent or a workflow. */
  readonly agent?: string;
  /** A program to run as the agent. */
  readonly command?: readonly [string, ...string[]];
  readonly data: string;
  readonly out: string;
  readonly groupSize?: number;
  /** Maximum seconds of one episode. */
  readonly timeout?: number;
  readonly layout: "padded" | "packed" | "tree";
  /** Number of proxies. More than 1 run in separate processes. */
  readonly proxyWorkers?: number;
  /** URL of a running proxy or gateway. */
  readonly proxy?: string;
  /** A program that trains on each batch. */
  readonly trainer?: readonly [string, ...string[]];
  /** `batch`: the trainer is run for each batch. `persistent`: it is one process, which receives every batch. */
  readonly trainerMode?: "batch" | "persistent";
  /** Seconds for which writing a batch is retried. */
  readonly writeWait?: number;
  /** Weight version at the start. */
  readonly fromVersion?: number;
}

/** Declares the arguments of `rolltape rollout`. */
export function withRolloutOptions(command: Command): Command {
  return withConfigOptions(command)
    .addOption(new Option("-a, --agent <file>", "agent or workflow: a file or package, module#export or file.py:name"))
    .addOption(
      new Option("--command <program>", "program to run as the agent: words, or a JSON list of them")
        .argParser(parseCommand)
        .conflicts("agent"),
    )
    .requiredOption("-d, --data <file>", "tasks: one JSON value on each line, or one JSON array")
    .requiredOption("-o, --out <file>", "safetensors file that the batch is written to")
    .option("-g, --group-size <n>", "episodes per task", optionValue(COUNT))
    .option("--timeout <seconds>", "maximum time of one episode", optionValue(z.number().positive()))
    .option("--proxy-workers <n>", "number of proxies in separate processes, behind one address", optionValue(COUNT))
    .addOption(
      new Option("--proxy <url>", "URL of a running proxy or gateway").argParser(parseUrl).conflicts("proxyWorkers"),
    )
    .addOption(
      new Option("--trainer <program>", "program that trains on each batch: words, or a JSON list").argParser(
        parseCommand,
      ),
    )
    .addOption(
      new Option("--trainer-mode <mode>", "one process for each batch, or one for the job (default: batch)").choices([
        "batch",
        "persistent",
      ]),
    )
    .option(
      "--write-wait <seconds>",
      "time for which writing a batch is retried (default: 60; on a terminal, until Ctrl-C)",
      optionValue(z.number().min(0)),
    )
    .option("--from-version <n>", "weight version at the start", optionValue(z.int32().min(0)))
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
