import type { ServerOptions } from "../servers/options.js";

export type SglangOptions = ServerOptions;
