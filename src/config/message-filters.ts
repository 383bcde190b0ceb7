import type { Config } from "./schema/sections.js";
import { compileFilter } from "./schema/values.js";

/** Returns `rollout.agent.message_filters` as regular expressions. */
export function compileMessageFilters({ rollout }: Config): RegExp[] {
  return rollout.agent.message_filters.map(compileFilter);
}
