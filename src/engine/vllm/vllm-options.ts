import type { ServerOptions } from "../servers/server-options.js";

export interface VllmOptions extends ServerOptions {
  /** Name under which the servers serve the model. Absent: asked of them. */
  readonly model?: string | undefined;
  /** `auto` takes `/inference/v1/generate` where a server has it, else `/v1/completions`. Default `auto`. */
  readonly api?: VllmApi | undefined;
}

export type VllmApi = "auto" | "generate" | "completions";
