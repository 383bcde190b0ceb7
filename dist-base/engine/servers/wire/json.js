/** Parses a JSON object. Returns an empty object for any other text. */
export function jsonObject(text) {
    try {
        const value = JSON.parse(text);
        return Object(value);
    }
    catch {
        return {};
    }
}
export function positiveInteger(value) {
    return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
}
/** Reads a weight version, which engines send as text; undefined for a label that is not a number. */
export function versionNumber(value) {
    const text = typeof value === "number" ? String(value) : value;
    return typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : undefined;
}
//# sourceMappingURL=json.js.map