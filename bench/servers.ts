import { ensureTinyModel } from "../src/engine/index.js";
import { type Child, startChild } from "./processes.js";

/** Of every proxy that a benchmark starts. */
export const ADMIN_KEY = "sk-admin-bench-0123456789";

/** As the command `rolltape` starts Node; see the first line of main.ts. With more threads, a collection of the heap takes all cores. */
const ONE_GC_THREAD = "--v8-pool-size=1";

export interface ProxyOptions {
  readonly engineUrl: string;
  /** To the engine. */
  readonly connections: number;
  /** `key=value` arguments. */
  readonly args?: readonly string[];
  /** Of Node. */
  readonly nodeArguments?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
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
  const command = [ONE_GC_THREAD, ...nodeArguments, "dist/cli/main.js", "serve", ...settings, ...args];
  return startChild(...wrap(process.execPath, command), { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY, ...env });
}

/** A program of a benchmark, as a process. */
export function startScript(script: URL, ...args: readonly string[]): Promise<Child> {
  return startChild(process.execPath, [ONE_GC_THREAD, "--import", "tsx", script.pathname, ...args]);
}
