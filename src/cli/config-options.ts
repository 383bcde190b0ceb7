import { type Command, Option } from "commander";
import { STARTERS, type Starter } from "../config/index.js";

/** Options of every command that reads a configuration, in addition to `key=value` arguments. */
export interface ConfigOptions {
  readonly config?: string;
}

/** Declares the configuration file and the overrides on a command. */
export function withConfigOptions(command: Command): Command {
  return command
    .argument(
      "[key=value...]",
      "configuration overrides, e.g. server.port=0 engine.urls=[http://a:30000,http://b:30000]",
    )
    .option("-c, --config <file>", "YAML file to read the configuration from");
}

/** Options of commands that know who starts a server. */
export interface ServeOptions extends ConfigOptions {
  readonly startedBy?: Starter;
}

/** Declares who starts the server. */
export function withStarter(command: Command): Command {
  const meaning =
    "program that starts the server for a user: with it, chat_template_type is concat if nothing else is configured";
  return command.addOption(new Option("--started-by <program>", meaning).choices(STARTERS));
}
