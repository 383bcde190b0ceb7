/** Describes a value briefly for an error message: its type, and a short form of its content. */
export function describe(value) {
    if (typeof value === "string")
        return `the string ${JSON.stringify(value.slice(0, 80))}`;
    if (typeof value === "number" || typeof value === "bigint")
        return `the ${typeof value} ${value}`;
    if (value === null || value === undefined || typeof value === "boolean")
        return String(value);
    if (typeof value === "function")
        return describeFunction(value);
    if (Array.isArray(value))
        return "an array";
    return typeof value === "object" ? describeObject(value) : `a ${typeof value}`;
}
function describeFunction(value) {
    const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
    return value.name === "" ? `a ${kind} without a name` : `the ${kind} ${value.name}`;
}
const MAX_KEYS = 8;
function describeObject(value) {
    const { constructor } = value;
    if (constructor !== undefined && constructor !== Object && typeof constructor.name === "string") {
        return `an instance of ${constructor.name}`;
    }
    const keys = Object.keys(value);
    if (keys.length === 0)
        return "an object without keys";
    return `an object with ${keys.slice(0, MAX_KEYS).join(", ")}${keys.length > MAX_KEYS ? ", …" : ""}`;
}
//# sourceMappingURL=describe.js.map