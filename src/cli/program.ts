import { Command } from "commander";
import { printConfig } from "./config-command.js";
import { withConfigOptions } from "./options.js";
import { serve } from "./serve.js";
import { packageVersion } from "./version.js";

/** The command line as commander runs it. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("rolltape")
    .description("Agent rollout proxy for reinforcement learning of language-model agents.")
    .version(packageVersion())
    .exitOverride();
  withConfigOptions(program.command("serve"))
    .description("serve agents and trainers until SIGTERM or SIGINT")
    .action(serve);
  withConfigOptions(program.command("config"))
    .description("print the resolved configuration as YAML, keys hidden")
    .action(printConfig);
  return program;
}
