export { cacheFolder } from "../support/cache-folder.js";
export { readAdminKey, readEnvironmentKey, resolveAdminKey } from "./admin-key.js";
export { refuseUnused, refuseUnusedStorage, UNUSED_BY_GATEWAY, UNUSED_BY_JOB, UNUSED_BY_SERVE, UNUSED_BY_WORKER, unusedByServe, unusedByStorage, withoutUnused, } from "./command-keys.js";
export { readConnectionLimits } from "./connection-limits.js";
export { isWrittenEmpty } from "./empty-key.js";
export { ConfigError } from "./errors.js";
export { removeKeyFile, writeKeyFile } from "./key-file.js";
export { compileMessageFilters, listUnsafeFilters } from "./message-filters.js";
export { parseConfig } from "./parse-config.js";
export { readProbeSettings } from "./probe-settings.js";
export { redact } from "./redact.js";
export { resolveConfig } from "./resolve-config.js";
export { readUpstreams } from "./upstreams.js";
//# sourceMappingURL=index.js.map