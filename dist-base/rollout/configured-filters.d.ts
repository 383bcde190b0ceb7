import type { ExportFilters } from "../client/export-filters.js";
import type { Config } from "../config/index.js";
/** Returns the filters of a configuration. Filters that change nothing are absent, because older proxies refuse them as unknown. */
export declare function readExportFilters({ rollout: { agent } }: Config): ExportFilters;
