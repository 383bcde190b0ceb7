import type { EngineServerOptions } from "../servers/engine-server-options.js";

export interface VllmOptions extends EngineServerOptions {
  /** Name under which the servers serve the model. If undefined, the servers are asked. */
  readonly model?: string | undefined;
  /** `auto` uses `/inference/v1/generate` if a server has it, otherwise `/v1/completions`. Default `auto`. */
  readonly api?: VllmApi | undefined;
}

export type VllmApi = "auto" | "generate" | "completions";
