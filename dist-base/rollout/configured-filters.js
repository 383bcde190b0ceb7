/** Returns the filters of a configuration. Filters that change nothing are absent, because older proxies refuse them as unknown. */
export function readExportFilters({ rollout: { agent } }) {
    const { models, exclude_models, tags, roots } = agent.export_filters;
    return {
        ...(models && { models }),
        ...(exclude_models && { excludeModels: exclude_models }),
        ...(tags && { tags }),
        ...(roots === "all" ? {} : { roots }),
    };
}
//# sourceMappingURL=configured-filters.js.map