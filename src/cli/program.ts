import { Command } from "commander";
import { z } from "zod";
import { packageVersion } from "../support/package-version.js";
import { withConfigOptions, withStarter } from "./config-options.js";
import { withExportOptions } from "./export/export-options.js";
import { optionValue } from "./option-value.js";
import { withControllerOptions, withRolloutOptions, withWorkerOptions } from "./rollout/rollout-options.js";

/** Creates the command line. It throws instead of ending the process. */
export function createProgram(): Command {
  const program = new Command("rolltape")
    .description("Agent rollout proxy for reinforcement learning of language-model agents.")
    .version(packageVersion())
    // `rolltape weights` has a `--version` of its own.
    .enablePositionalOptions()
    .exitOverride();
  withStarter(withConfigOptions(program.command("serve")))
    .description("serve agents and trainers until SIGTERM or SIGINT")
    .action(late(async () => (await import("./commands/serve.js")).serve));
  withConfigOptions(program.command("gateway"))
    .description("serve one address for many servers until SIGTERM or SIGINT")
    .action(late(async () => (await import("./commands/gateway.js")).gateway));
  addProxyConfigCommand(program.command("proxy-config"));
  withStarter(withConfigOptions(program.command("config")))
    .description("print the resolved configuration as YAML with the source of each value, keys hidden")
    .action(late(async () => (await import("./commands/config.js")).printConfig));
  program
    .command("demo")
    .option("--out <file>", "file for the batch", "out/batch.safetensors")
    .description("run a dozen episodes with a tiny model, and write their batch")
    .action(late(async () => (await import("./commands/demo.js")).demo));
  program
    .command("tiny-model")
    .description("make the folder of the demo's model, for an engine server, and print it")
    .action(late(async () => (await import("./commands/tiny-model.js")).tinyModel));
  withRolloutOptions(program.command("rollout"))
    .description("run an agent on every task of a file and export the recorded calls as a batch")
    .action(late(async () => (await import("./commands/rollout.js")).rollout));
  withControllerOptions(program.command("controller"))
    .description("give the tasks of a file to rollout workers and export the recorded calls as a batch")
    .action(late(async () => (await import("./commands/controller.js")).controller));
  withWorkerOptions(program.command("worker"))
    .description("run an agent on the tasks of a controller until it has no more")
    .action(late(async () => (await import("./commands/worker.js")).worker));
  withConfigOptions(program.command("job").argument("<file>", "YAML file that describes the job's processes"))
    .description("run engines, proxies, rollout workers and a controller, on this machine or over Slurm")
    .action(late(async () => (await import("./commands/job.js")).job));
  program
    .command("inspect")
    .argument("<file>", "a safetensors file, or its s3:// address")
    .option("--rows <n>", "number of rows to list", optionValue(z.int().min(1)))
    .option(
      "--text <row>",
      "show the tokens of one row, from 0, colored by log probability",
      optionValue(z.int().min(0)),
    )
    .option("--model <folder>", "with --text: model folder whose tokenizer decodes the tokens")
    .option("--json", "print JSON for programs")
    .description("print the content of a batch")
    .action(late(async () => (await import("./commands/inspect.js")).inspect));
  addViewCommand(program.command("view"));
  withExportOptions(program.command("export"))
    .description("write the sessions that a server left in its storage folder to a file, without a server")
    .action(late(async () => (await import("./commands/export.js")).exportSessions));
  addWeightsCommand(program.command("weights"));
  addStorageCommands(program.command("storage"));
  return program;
}

function addProxyConfigCommand(command: Command): void {
  command.description("write the configuration of a proxy in front of a gateway");
  withFrontOptions(command.command("haproxy"), "where HAProxy listens: the arguments of its `bind`")
    .option("--out <file>", "file to write; default: standard output")
    .option("--watch", "write the file again when workers come, go or move; needs --out")
    .option("--reload <command>", "with --watch: shell command that makes HAProxy load the file")
    .description(
      "write a configuration of HAProxy that sends calls with session keys and run keys straight to the workers",
    )
    .action(late(async () => (await import("./commands/proxy-config.js")).haproxyConfig));
  withFrontOptions(command.command("envoy"), "IP address, or * for all of IPv4, and port where Envoy listens")
    .requiredOption("--out <folder>", "folder for envoy.yaml, to start Envoy with, and workers.yaml, which it watches")
    .option("--watch", "replace workers.yaml when workers come, go or move")
    .description("write a configuration of Envoy that sends calls with session keys straight to the workers")
    .action(late(async () => (await import("./commands/proxy-config.js")).envoyConfig));
}

const withFrontOptions = (command: Command, listen: string): Command =>
  withConfigOptions(command)
    .option("--listen <address>", listen, "*:8080")
    .requiredOption("--gateway <url>", "address of `rolltape gateway`; repeated: others for when it is away", repeated);

/** Parses an option that may be repeated. */
const repeated = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

function addWeightsCommand(weights: Command): void {
  const parseUrls = (text: string) => text.split(",").filter((url) => url !== "");
  weights
    .argument("<url>", "a proxy or a gateway; its admin key is in ROLLTAPE_ADMIN_API_KEY")
    .argument("[path]", "the new weights, as the engine sees them")
    .option("--version <n>", "version of the new weights", optionValue(z.int32().min(0)))
    .option("--external", "only hold calls and pause; the trainer then pushes its tensors")
    .option("--finish", "finish an external update")
    .option("--give-up", "give up an update: resume engine servers with known weights, drain the others")
    .option("--status", "print each server's version, and the progress of an update")
    .option("--exclude <urls>", "engine servers to leave out, separated by commas", parseUrls)
    .option("--allow-partial", "load the weights even if they lack tensors of the model")
    .option("--json", "print one line of JSON")
    .description("load new weights into the engine of a proxy")
    .action(late(async () => (await import("./commands/weights.js")).weights));
}

function addViewCommand(view: Command): void {
  view
    .argument(
      "<target>",
      "a transcript, a tensor file, a folder of them, a storage folder, an s3:// address, or the URL of a server",
    )
    .option("--model <folder>", "model folder whose tokenizer decodes tokens; default: that of the job")
    .option("--port <n>", "port on 127.0.0.1; default: any free one", optionValue(z.int().min(0).max(65_535)))
    .option("--html <file>", "write one HTML file that needs no server, and end")
    .option("--max-bytes <n>", "maximum size of that file; default: 50000000", optionValue(z.int().min(1)))
    .description("show episodes in a browser: messages, tokens and rewards")
    .action(late(async () => (await import("./commands/view.js")).view));
}

function addStorageCommands(storage: Command): void {
  storage.description("inspect, verify or compact the folder in which a server stores its sessions");
  const folder = "storage.directory of a server";
  storage
    .command("inspect")
    .argument("<folder>", folder)
    .option("--json", "print one line of JSON")
    .description("print what the folder has, also while a server has it open")
    .action(late(async () => (await import("./commands/storage.js")).inspectFolder));
  storage
    .command("verify")
    .argument("<folder>", folder)
    .option("--all", "list every problem instead of the first 100")
    .description("read every record and list what is damaged")
    .action(late(async () => (await import("./commands/storage.js")).verifyFolder));
  storage
    .command("compact")
    .argument("<folder>", folder)
    .option(
      "--leave-out-damaged",
      "keep only what is intact: leave damaged sessions out, and keep the old file under another name",
    )
    .description("give unused space back to the disk")
    .action(late(async () => (await import("./commands/storage.js")).compactFolder));
}

/** Returns an action that is imported when its command runs, so that no command waits for the modules of the others. */
function late<A extends unknown[]>(action: () => Promise<(...args: A) => unknown>): (...args: A) => Promise<void> {
  return async (...args) => {
    const run = await action();
    await run(...args);
  };
}
