import { truthy } from "../values/value.js";
/** Returns an argument by position or name. */
export function argument(call, position, name) {
    return call.args[position] ?? call.keywords.get(name);
}
/** Returns an argument as a condition; false if it is missing. */
export function flag(call, position, name) {
    return truthy(argument(call, position, name) ?? false);
}
//# sourceMappingURL=filter.js.map