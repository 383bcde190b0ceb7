import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
const HOW_TO_COMPILE = "Run `ROLLTAPE_BUILD_ADDON=1 npm rebuild rolltape` to compile it (in a clone: `npm rebuild`). " +
    "This needs cmake, make and a C++20 compiler.";
/** Returns the package's folder, for files under src/ and under dist/. */
function findPackageRoot() {
    let folder = dirname(fileURLToPath(import.meta.url));
    while (!existsSync(join(folder, "package.json"))) {
        const parent = dirname(folder);
        if (parent === folder)
            throw new Error(`no package.json above ${fileURLToPath(import.meta.url)}`);
        folder = parent;
    }
    return folder;
}
/**
 * Returns the paths at which the addon may be: compiled on this machine, or prebuilt in the npm package.
 * `ROLLTAPE_ADDON_PATH` replaces all of them.
 */
function listCandidates() {
    const chosen = process.env["ROLLTAPE_ADDON_PATH"];
    if (chosen !== undefined && chosen !== "")
        return [chosen];
    const root = findPackageRoot();
    return [
        join(root, "build", "Release", "rolltape.node"),
        join(root, "prebuilds", `${process.platform}-${process.arch}`, "rolltape.node"),
    ];
}
function load() {
    const paths = listCandidates();
    const path = paths.find((candidate) => existsSync(candidate));
    if (path === undefined) {
        throw new Error(`The native addon is not built: none of these files exists: ${paths.join(", ")}. ${HOW_TO_COMPILE}`);
    }
    try {
        return createRequire(import.meta.url)(path);
    }
    catch (cause) {
        const message = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`The native addon does not load on this machine: ${message}. ${HOW_TO_COMPILE}`, { cause });
    }
}
/** The native addon. Import it from here only, so that there is one place that finds it. */
export const native = load();
//# sourceMappingURL=addon.js.map