export function toFilterFields({ models, excludeModels, tags, roots }) {
    return { models, exclude_models: excludeModels, tags, roots };
}
//# sourceMappingURL=export-filters.js.map