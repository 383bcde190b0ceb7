import { type Config, type ConfigSources } from "../../config/index.js";
import type { NotReady } from "../../server/engine-readiness.js";
/** Returns a problem if `storage.directory` is written without a value, because whoever wrote it may expect that sessions are stored. */
export declare function storageProblems({ storage }: Config, sources: ConfigSources): NotReady[];
