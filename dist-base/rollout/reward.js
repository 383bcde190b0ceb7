import { describe } from "./describe.js";
import { Rejection } from "./rejection.js";
/** The greatest finite float32. Rewards are exported as float32. */
const MAX_REWARD = 3.4028234663852886e38;
/**
 * Validates an agent's return value.
 *
 * @throws Rejection `invalid_reward` if it is not a reward
 */
export function readReward(value) {
    if (typeof value === "number")
        return { number: readFinite(value, "") };
    const entries = readEntries(value);
    if (!entries)
        throw invalid(describe(value));
    return { byId: new Map(entries.map(([id, reward]) => [readId(id), readFinite(reward, ` for ${describe(id)}`)])) };
}
function readEntries(value) {
    if (value instanceof Map)
        return [...value];
    return isPlainObject(value) ? Object.entries(value) : undefined;
}
function isPlainObject(value) {
    if (typeof value !== "object" || value === null)
        return false;
    const prototype = Object.getPrototypeOf(value);
    // An object from another realm (a vm, a worker) has a plain prototype of its own.
    return prototype === null || Object.getPrototypeOf(prototype) === null;
}
function readId(id) {
    if (typeof id !== "string")
        throw invalid(`a Map with ${describe(id)} as a key`);
    return id;
}
function readFinite(value, place) {
    if (typeof value !== "number" || !(Math.abs(value) <= MAX_REWARD))
        throw invalid(describe(value) + place);
    return value;
}
function invalid(received) {
    const expected = "a finite number, or a plain object or Map of completion ids to finite numbers";
    return new Rejection("invalid_reward", `The agent must return ${expected}; received ${received}.`);
}
//# sourceMappingURL=reward.js.map