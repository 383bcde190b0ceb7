import { NODE_ARGUMENTS } from "../src/cli/node-arguments.js";
import { ensureTinyModel } from "../src/engine/index.js";
import { type Child, startChild } from "./processes.js";

/** Of every proxy that a benchmark starts. */
export const ADMIN_KEY = "sk-admin-bench-0123456789";

export interface ProxyOptions {
  readonly engineUrl: string;
  /** To the engine. */
  readonly connections: number;
  /** `key=value` arguments. */
  readonly args?: readonly string[];
  /** Of Node. */
  readonly nodeArguments?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Folder of the compiled program. */
  readonly build?: string;
  /** Returns the command line to start instead, for example one that limits the memory of the process. */
  readonly wrap?: (program: string, args: readonly string[]) => [program: string, args: string[]];
}

/** `rolltape serve` with an engine that speaks as SGLang does. */
export async function startProxy({
  engineUrl,
  connections,
  args = [],
  nodeArguments = [],
  env,
  build = "dist",
  wrap = (program, rest) => [program, [...rest]],
}: ProxyOptions): Promise<Child> {
  const { folder } = await ensureTinyModel();
  const settings = [
    "server.port=0",
    "server.shutdown_seconds=0",
    "server.log_level=error",
    "engine.type=sglang",
    `engine.urls=${engineUrl}`,
    `engine.max_inflight=${connections}`,
    "engine.context_length=1000000",
    `model.path=${folder}`,
  ];
  const command = [...NODE_ARGUMENTS, ...nodeArguments, `${build}/cli/main.js`, "serve", ...settings, ...args];
  return startChild(...wrap(process.execPath, command), { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY, ...env });
}

/** A program of a benchmark, as a process. */
export function startScript(script: URL, ...args: readonly string[]): Promise<Child> {
  return startChild(process.execPath, [...NODE_ARGUMENTS, "--import", "tsx", script.pathname, ...args]);
}
