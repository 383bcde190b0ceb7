import { readFileSync } from "node:fs";
/**
 * Returns how many files and sockets this process may have open; undefined if the operating system is not Linux. Node raises this
 * soft limit to the hard limit when it starts.
 */
export function readOpenFileLimit(file = "/proc/self/limits") {
    let limits;
    try {
        limits = readFileSync(file, "utf8");
    }
    catch {
        return undefined;
    }
    const soft = /^Max open files +(\d+|unlimited) /m.exec(limits)?.[1];
    if (soft === undefined)
        return undefined;
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
}
//# sourceMappingURL=open-file-limit.js.map