import { compileMessageFilter } from "./schema/message-filter.js";
import type { Config } from "./schema/sections.js";

/** Returns `rollout.agent.message_filters` as filters of texts. */
export function compileMessageFilters({ rollout }: Config) {
  return rollout.agent.message_filters.map(compileMessageFilter);
}

/** Returns the patterns that can take exponential time on a text that an agent chooses. */
export function listUnsafeFilters({ rollout }: Config): string[] {
  return rollout.agent.message_filters.flatMap((filter) => (typeof filter === "string" ? [] : [filter.pattern]));
}
