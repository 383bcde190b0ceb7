import { type Command, InvalidArgumentError, Option } from "commander";
import { type BatchOptionsInput, batchFields } from "../../session/batch/batch-options.js";
import type { Split } from "../../session/session-summary.js";
import { optionValue } from "../option-value.js";
import { STORED_STATES, type StoredState } from "../storage/session-state.js";

/** Options of `rolltape export`, besides those of a batch. */
export interface ExportOptions extends BatchOptionsInput {
  /** Folder of a server that is not running, or the `s3://` prefix of an archive. */
  readonly storage?: string;
  /** A sessions file, or a batch. */
  readonly from?: string;
  readonly out: string;
  /** Ids of the sessions. */
  readonly sessions?: readonly string[];
  readonly state?: readonly StoredState[];
  /** Default: `train` with `--storage`, else all. */
  readonly split?: Split;
}

type BatchField = keyof typeof batchFields;

/** Declares the arguments of `rolltape export`. Options of a batch have the names of the HTTP API, with hyphens. */
export function withExportOptions(command: Command): Command {
  command
    .option("--storage <folder>", "storage.directory of a server that is not running, or storage.archive (s3://…)")
    .addOption(
      new Option(
        "--from <file>",
        "a sessions file of a rollout job, or a batch: with its sessions file beside it, every option works",
      ).conflicts("storage"),
    )
    .requiredOption("-o, --out <file>", "safetensors file that the batch is written to")
    .addOption(
      new Option("--sessions <ids>", "ids of the sessions, separated by commas (default: all with data)").argParser(
        parseIds,
      ),
    )
    .addOption(
      new Option("--state <states>", `only sessions in these states, separated by commas: ${STORED_STATES.join(", ")}`)
        .argParser(parseStates)
        .conflicts("sessions"),
    )
    .addOption(
      new Option("--split <split>", "only training or evaluation sessions (default: train with --storage)").choices([
        "train",
        "eval",
      ]),
    );
  for (const name of Object.keys(batchFields) as BatchField[]) command.addOption(toOption(name));
  return command;
}

/** Returns the name of an option of a batch on the command line, such as `--max-length` for `maxLength`. */
export function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function toOption(name: BatchField): Option {
  const field = batchFields[name];
  const description = field.description ?? "";
  const isOn = field.safeParse(undefined).data;
  if (isOn === false) return new Option(toFlag(name), description);
  if (isOn === true) return new Option(toFlag(name).replace("--", "--no-"), description.replace(/^Adds/, "Leaves out"));
  const isList = field.safeParse([""]).success;
  if (isList) return new Option(`${toFlag(name)} <texts>`, `${description} Separated by commas.`).argParser(parseTexts);
  return new Option(`${toFlag(name)} <value>`, description).argParser(optionValue<unknown>(field));
}

function parseTexts(text: string): string[] {
  return text.split(",");
}

function parseIds(text: string): string[] {
  const ids = text.split(",").filter((id) => id !== "");
  if (ids.length === 0) throw new InvalidArgumentError("Expected at least one session id.");
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new InvalidArgumentError(`Each session must be named once; received ${twice} twice.`);
  return ids;
}

function parseStates(text: string): StoredState[] {
  return text.split(",").map((word) => {
    const state = STORED_STATES.find((each) => each === word);
    if (state) return state;
    throw new InvalidArgumentError(`Expected one or more of ${STORED_STATES.join(", ")}; received ${word}.`);
  });
}
