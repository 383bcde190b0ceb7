import type { ExportFilters } from "../client/export-filters.js";
import type { Config } from "../config/index.js";

/** Returns the filters of a configuration. Those that change nothing are absent, so that older proxies are not sent them. */
export function readExportFilters({ rollout: { agent } }: Config): ExportFilters {
  const { models, exclude_models, tags, roots } = agent.export_filters;
  return {
    ...(models && { models }),
    ...(exclude_models && { excludeModels: exclude_models }),
    ...(tags && { tags }),
    ...(roots === "all" ? {} : { roots }),
  };
}
