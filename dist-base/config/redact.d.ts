import type { Config } from "./schema/sections.js";
/** Returns a copy of the configuration without keys and without passwords in URLs, so that it can be shown. */
export declare function redact(config: Config): Record<string, unknown>;
