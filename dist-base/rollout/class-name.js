/**
 * Returns the class name of a thrown value. Many SDKs do not set `name`, so the name of the constructor is used too.
 */
export function readClassName(error) {
    if (!(error instanceof Error))
        return "Error";
    const { name, constructor } = error;
    if (typeof name === "string" && name !== "" && name !== "Error")
        return name;
    const type = constructor?.name;
    return typeof type === "string" && type !== "" ? type : "Error";
}
/** Describes a thrown value as `class: message`. The class is omitted if it is plain `Error`. */
export function describeThrown(error) {
    const message = error instanceof Error ? error.message : String(error);
    const name = readClassName(error);
    return name === "Error" ? message : `${name}: ${message}`;
}
//# sourceMappingURL=class-name.js.map