import type { ConfigOptions } from "../config-options.js";
/** `rolltape job`: runs the processes of a job until its controller has ended. Reports progress on standard error. */
export declare function job(file: string, overrides: readonly string[], { config }: ConfigOptions): Promise<void>;
