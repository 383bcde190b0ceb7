export { cacheFolder } from "../support/cache-folder.js";
export { type AdminKey, readAdminKey, readEnvironmentKey, resolveAdminKey } from "./admin-key.js";
export {
  type Command,
  findUsers,
  GATEWAY,
  JOB,
  lackOfStorage,
  refuseUnused,
  refuseUnusedStorage,
  SERVE,
  serveCommand,
  WORKER,
  withoutUnused,
} from "./command-keys.js";
export { readConnectionLimits } from "./connection-limits.js";
export { isWrittenEmpty } from "./empty-key.js";
export { ConfigError, type ConfigErrorCode, type ConfigProblem } from "./errors.js";
export { removeKeyFile, writeKeyFile } from "./key-file.js";
export { compileMessageFilters, listUnsafeFilters } from "./message-filters.js";
export { parseConfig } from "./parse-config.js";
export { readProbeSettings } from "./probe-settings.js";
export { redact } from "./redact.js";
export { type ConfigSources, resolveConfig } from "./resolve-config.js";
export type { Config } from "./schema/sections.js";
export { findChooser, readSources, STARTERS, type Starter, TEMPLATE_TYPE } from "./template-type.js";
export { readUpstreams, type Upstream, type UpstreamRule } from "./upstreams.js";
export { readWorkerName, readWorkerTag } from "./workers.js";
