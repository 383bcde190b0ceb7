import type { App } from "../../http/app-type.js";
/** Adds the security headers to every answer of the application or of the plugin, errors included. */
export declare function secureHeaders(app: App): void;
