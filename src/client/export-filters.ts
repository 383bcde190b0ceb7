/** Choose the interactions that an export trains on. Rewards are computed before, over the whole session. */
export interface ExportFilters {
  /** Keep only interactions whose request named one of these models. `*` stands for any characters, an empty string for no name. */
  readonly models?: readonly string[] | undefined;
  readonly excludeModels?: readonly string[] | undefined;
  /** Keep only interactions with one of these tags (header `x-rolltape-tag`). Patterns as in `models`; an empty string stands for no tag. */
  readonly tags?: readonly string[] | undefined;
  /** `rewarded`: keep only conversation trees that have a reward. Default: `all`. */
  readonly roots?: "all" | "rewarded" | undefined;
  /** `drop`: leave out interactions whose output a token limit cut (finish reason `length`). Default: `keep`. */
  readonly overlong?: "keep" | "drop" | undefined;
}

/** The filters as fields of an export request. */
export interface FilterFields {
  readonly models?: readonly string[] | undefined;
  readonly exclude_models?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly roots?: "all" | "rewarded" | undefined;
  readonly overlong?: "keep" | "drop" | undefined;
}

export function toFilterFields({ models, excludeModels, tags, roots, overlong }: ExportFilters): FilterFields {
  return { models, exclude_models: excludeModels, tags, roots, overlong };
}
