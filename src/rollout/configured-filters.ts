import type { ExportFilters } from "../client/export-filters.js";
import type { Config } from "../config/index.js";

/** Returns the filters of a configuration. Filters that change nothing are absent, because older proxies refuse them as unknown. */
export function readExportFilters({ rollout: { agent } }: Config): ExportFilters {
  const { models, exclude_models, tags, roots, overlong } = agent.export_filters;
  return {
    ...(models && { models }),
    ...(exclude_models && { excludeModels: exclude_models }),
    ...(tags && { tags }),
    ...(roots === "all" ? {} : { roots }),
    ...(overlong === "keep" ? {} : { overlong }),
  };
}
