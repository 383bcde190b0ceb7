/** Which interactions an export has rows for. Rewards are computed before, over the whole session. */
export interface ExportFilters {
  /** Only interactions whose request named one of these models. `*` stands for any text, an empty text for no name. */
  readonly models?: readonly string[] | undefined;
  readonly excludeModels?: readonly string[] | undefined;
  /** Only interactions with one of these tags (header `x-rolltape-tag`). `*` stands for any text, an empty text for no tag. */
  readonly tags?: readonly string[] | undefined;
  /** `rewarded`: no conversation trees without any reward. Default: `all`. */
  readonly roots?: "all" | "rewarded" | undefined;
}

/** Filters as fields of an export. */
export interface FilterFields {
  readonly models?: readonly string[] | undefined;
  readonly exclude_models?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly roots?: "all" | "rewarded" | undefined;
}

export function toFilterFields({ models, excludeModels, tags, roots }: ExportFilters): FilterFields {
  return { models, exclude_models: excludeModels, tags, roots };
}
