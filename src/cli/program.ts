import { Command } from "commander";
import { printConfig } from "./config-command.js";
import { type ConfigOptions, withConfigOptions } from "./options.js";
import { packageVersion } from "./version.js";

/** The command line as commander runs it. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("rolltape")
    .description("Agent rollout proxy for reinforcement learning of language-model agents.")
    .version(packageVersion())
    .exitOverride();
  withConfigOptions(program.command("serve"))
    .description("serve agents and trainers until SIGTERM or SIGINT")
    .action(runServe);
  withConfigOptions(program.command("config"))
    .description("print the resolved configuration as YAML, keys hidden")
    .action(printConfig);
  return program;
}

/** Loads the server, and the native addon with it, only for the command that needs it. */
async function runServe(overrides: readonly string[], options: ConfigOptions): Promise<void> {
  const { serve } = await import("./serve.js");
  await serve(overrides, options);
}
