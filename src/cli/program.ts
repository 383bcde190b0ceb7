import { Command } from "commander";
import { packageVersion } from "../support/package-version.js";
import { printConfig } from "./commands/config.js";
import { gateway } from "./commands/gateway.js";
import { inspect } from "./commands/inspect.js";
import { job } from "./commands/job.js";
import { rollout } from "./commands/rollout.js";
import { serve } from "./commands/serve.js";
import { withConfigOptions } from "./config-options.js";
import { parsePositive, withRolloutOptions } from "./rollout/rollout-options.js";

/** Creates the command line. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("rolltape")
    .description("Agent rollout proxy for reinforcement learning of language-model agents.")
    .version(packageVersion())
    .exitOverride();
  withConfigOptions(program.command("serve"))
    .description("serve agents and trainers until SIGTERM or SIGINT")
    .action(serve);
  withConfigOptions(program.command("gateway"))
    .description("serve one address for many servers until SIGTERM or SIGINT")
    .action(gateway);
  withConfigOptions(program.command("config"))
    .description("print the resolved configuration as YAML, keys hidden")
    .action(printConfig);
  withRolloutOptions(program.command("rollout"))
    .description("run an agent on every task of a file and export the recorded calls as a batch")
    .action(rollout);
  withConfigOptions(program.command("job").argument("<file>", "YAML file that describes the job's processes"))
    .description("run engines, proxies, rollout workers and a controller, on this machine or over Slurm")
    .action(job);
  program
    .command("inspect")
    .argument("<file>", "a safetensors file")
    .option("--rows <n>", "number of rows to list", parsePositive("an integer of at least 1", Number.isInteger))
    .description("print the content of a batch")
    .action(inspect);
  return program;
}
