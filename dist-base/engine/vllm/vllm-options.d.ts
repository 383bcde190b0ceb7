import type { ServerOptions } from "../servers/server-options.js";
export interface VllmOptions extends ServerOptions {
    /** Name under which the servers serve the model. If undefined, the servers are asked. */
    readonly model?: string | undefined;
    /** `auto` uses `/inference/v1/generate` if a server has it, otherwise `/v1/completions`. Default `auto`. */
    readonly api?: VllmApi | undefined;
}
export type VllmApi = "auto" | "generate" | "completions";
