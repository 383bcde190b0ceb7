import { compileFilter } from "./schema/message-filter.js";
/** Returns `rollout.agent.message_filters` as filters of texts. */
export function compileMessageFilters({ rollout }) {
    return rollout.agent.message_filters.map(compileFilter);
}
/** Returns the patterns that can take exponential time on a text that an agent chooses. */
export function listUnsafeFilters({ rollout }) {
    return rollout.agent.message_filters.flatMap((filter) => (typeof filter === "string" ? [] : [filter.pattern]));
}
//# sourceMappingURL=message-filters.js.map