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
  /** Number of rollout worker processes. Undefined: `rollout.workers`, and without it agents run in this process. */
  readonly workers?: number;
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
  /** False: no transcript is written. */
  readonly transcripts?: boolean;
  /** False: no metrics are written. */
  readonly metrics?: boolean;
  /** File for the records of the sessions, from which `rolltape export` makes other batches. False or undefined: none. */
  readonly sessions?: string | false;
  /** The proxy keeps the sessions of batches that are written. */
  readonly keepSessions?: boolean;
  /** Goes on with the job in its database. */
  readonly resume?: boolean;
  /** Where the state of the job is: a URL of PostgreSQL, or a folder. */
  readonly jobDatabase?: string;
  /** Folder of a job whose processes a scheduler starts. */
  readonly jobFolder?: string;
  /** Number of its machines. */
  readonly nodes?: number;
  /** Options of sbatch. */
  readonly sbatchOption?: readonly string[];
  /** Program that serves an engine, with the placeholders of a job. */
  readonly engineCommand?: readonly [string, ...string[]];
  /** Number of engines. */
  readonly engines?: number;
}

/** The options that decide how a workflow is created. */
export type WorkflowOptions = {
  readonly [Name in "agent" | "command" | "groupSize" | "timeout"]?: RolloutOptions[Name] | undefined;
};

/** Options of `rolltape controller`. */
export interface ControllerCommandOptions extends RolloutOptions {
  readonly proxy: string;
  readonly urlFile?: string;
  /** Set if a job with `--job-folder` started it. */
  readonly startedBy?: "rollout";
}

/** Options of `rolltape worker`. */
export interface WorkerOptions extends ConfigOptions, Pick<RolloutOptions, "agent" | "command" | "proxy"> {
  /** URL of the controller, or a file that has it. */
  readonly controller: string;
  readonly name?: string;
  /** The former worker of this name has ended. */
  readonly replace?: boolean;
  /** Exit status after a signal. */
  readonly stoppedStatus: number;
}

/** Declares the arguments of `rolltape rollout`. */
export function withRolloutOptions(command: Command): Command {
  return withJobOptions(withAgentOptions(withConfigOptions(command)))
    .option("--proxy-workers <n>", "number of proxies in separate processes, behind one address", optionValue(COUNT))
    .option("--workers <n>", "number of processes that run agents (rollout.workers)", optionValue(COUNT))
    .addOption(proxyOption().conflicts(["proxyWorkers", "jobFolder"]))
    .option("--job-folder <folder>", "run everything as separate processes (scheduler.type), with logs in this folder")
    .option("--nodes <n>", "machines of the job, with --job-folder (default: 1)", optionValue(COUNT))
    .option("--sbatch-option <option...>", "options of sbatch, such as --sbatch-option=--time=04:00:00")
    .addOption(
      new Option(
        "--engine-command <program>",
        "engine that the job starts: words, or a JSON list, with {port}",
      ).argParser(parseCommand),
    )
    .option("--engines <n>", "number of engines that the job starts (default: 1)", optionValue(COUNT));
}

/** Declares the arguments of `rolltape controller`: those of a job whose agents run elsewhere. */
export function withControllerOptions(command: Command): Command {
  return withJobOptions(withConfigOptions(command))
    .addOption(proxyOption().makeOptionMandatory())
    .option("--url-file <file>", "file to which the controller writes its address, for `rolltape worker --controller`")
    .addOption(new Option("--started-by <program>", "the program that started it").choices(["rollout"]).hideHelp());
}

/** Declares the arguments of `rolltape worker`. */
export function withWorkerOptions(command: Command): Command {
  return withAgentOptions(withConfigOptions(command))
    .requiredOption("--controller <url>", "URL of the controller, or a file that it writes with --url-file")
    .option("--name <name>", "name in logs, which no other living worker has")
    .option("--replace", "the former worker of this name has ended: its tasks run again at once")
    .option("--stopped-status <n>", "exit status after a signal", optionValue(z.int().min(0).max(255)), 0)
    .addOption(proxyOption());
}

/** Declares which agent runs. */
function withAgentOptions(command: Command): Command {
  return command
    .addOption(new Option("-a, --agent <file>", "agent or workflow: a file or package, module#export or file.py:name"))
    .addOption(
      new Option("--command <program>", "program to run as the agent: words, or a JSON list of them")
        .argParser(parseCommand)
        .conflicts("agent"),
    );
}

function proxyOption(): Option {
  return new Option("--proxy <url>", "URL of a running proxy or gateway").argParser(parseUrl);
}

/** Declares tasks, batches and trainer. */
function withJobOptions(command: Command): Command {
  return command
    .requiredOption("-d, --data <file>", "tasks: one JSON value on each line, or one JSON array")
    .requiredOption("-o, --out <file>", "safetensors file that the batch is written to")
    .option("-g, --group-size <n>", "episodes per task", optionValue(COUNT))
    .option("--timeout <seconds>", "maximum time of one episode", optionValue(z.number().positive()))
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
    .option("--no-transcripts", "do not write what the episodes said to <out>.jsonl")
    .option("--no-metrics", "do not write metrics to <out>.metrics.jsonl and <out>.tensorboard")
    .option(
      "--sessions <file>",
      "file for the records of the sessions, from which `rolltape export --from` makes other batches (default: none; with --job-folder <out>.sessions)",
    )
    .option("--no-sessions", "with --job-folder: do not write that file")
    .option("--keep-sessions", "leave the sessions of the batches on the proxy")
    .option("--resume", "go on with the job that was killed or stopped, if there is one")
    .option(
      "--job-database <where>",
      "state of the job: postgres://…, which several controllers may share, or a folder (default: storage.directory, else in memory)",
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
