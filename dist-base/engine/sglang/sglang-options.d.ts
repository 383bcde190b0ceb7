import type { ServerOptions } from "../servers/server-options.js";
export interface SglangOptions extends ServerOptions {
    /** Key for pausing, continuing and aborting, of servers started with `--admin-api-key`. Default: `apiKey`. */
    readonly adminApiKey?: string | undefined;
}
