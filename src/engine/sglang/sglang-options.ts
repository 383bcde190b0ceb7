import type { EngineServerOptions } from "../servers/engine-server-options.js";

export interface SglangOptions extends EngineServerOptions {
  /** Key for pausing, continuing and aborting, of servers started with `--admin-api-key`. Default: `apiKey`. */
  readonly adminApiKey?: string | undefined;
}
