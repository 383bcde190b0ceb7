import type { Config } from "./schema/sections.js";
import { compileFilter } from "./schema/values.js";

/** `rollout.agent.message_filters` as they run. */
export function messageFilters({ rollout }: Config): RegExp[] {
  return rollout.agent.message_filters.map(compileFilter);
}
