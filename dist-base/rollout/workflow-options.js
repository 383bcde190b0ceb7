import { readExportFilters } from "./configured-filters.js";
/** Returns true if the options are a complete configuration. Callers without types may pass any value. */
export function isConfig(options) {
    return isObject(options) && "rollout" in options && "engine" in options && "server" in options;
}
/** Returns true for objects and arrays; false for null and for everything else. */
export function isObject(value) {
    return typeof value === "object" && value !== null;
}
/** Returns the options of a workflow. A configuration fills in the options that are not set. */
export function resolveWorkflowOptions({ config, ...options }) {
    if (!config)
        return options;
    const { agent } = config.rollout;
    return {
        ...options,
        groupSize: options.groupSize ?? config.group_size,
        dropIncompleteGroup: options.dropIncompleteGroup ?? config.drop_incomplete_group,
        discount: options.discount ?? agent.turn_discount,
        style: options.style ?? agent.export_style,
        concatReward: options.concatReward ?? agent.concat_reward,
        filters: options.filters ?? readExportFilters(config),
        rewardScope: options.rewardScope ?? agent.reward_scope,
    };
}
//# sourceMappingURL=workflow-options.js.map