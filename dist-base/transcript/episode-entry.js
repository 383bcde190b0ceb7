const isText = (value) => typeof value === "string";
const isBoolean = (value) => typeof value === "boolean";
const isInteger = (value) => Number.isSafeInteger(value);
const isCount = (value) => isInteger(value) && value >= 0;
const isNumber = (value) => Number.isFinite(value);
const isRange = (value) => Array.isArray(value) && value.length === 2 && value.every(isInteger);
function isCounts(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
        return false;
    return Object.entries(value).every(([name, count]) => name !== "__proto__" && isCount(count));
}
const REQUIRED = {
    offset: isCount,
    length: isCount,
    type: (value) => value === "episode",
    task: isCount,
    task_id: isText,
    accepted: isBoolean,
    version: isInteger,
    reward: (value) => value === null || isNumber(value),
    calls: isCount,
    turns: isCount,
    prompt_tokens: isCount,
    completion_tokens: isCount,
    finish_reasons: isCounts,
    broken: isCount,
    left_out: isCount,
    branches: isCount,
};
const OPTIONAL = {
    session_id: isText,
    group_id: isText,
    error: isText,
    started_at: isNumber,
    duration: isNumber,
    session_reward: isNumber,
    incomplete: isText,
    versions: isRange,
};
const checks = new Map(Object.entries({ ...REQUIRED, ...OPTIONAL }));
const required = Object.keys(REQUIRED);
/**
 * Returns true only if a value is an episode of the index that `schema.ts` would return as it is: all fields are valid, and there are no
 * others. The schema takes ten times as long, which is most of the time in which a long index is read.
 */
export function isEpisodeEntry(value) {
    if (typeof value !== "object" || value === null)
        return false;
    const entry = value;
    for (const name of required)
        if (entry[name] === undefined)
            return false;
    for (const name of Object.keys(entry))
        if (!checks.get(name)?.(entry[name]))
            return false;
    return true;
}
//# sourceMappingURL=episode-entry.js.map