import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolve as resolveModule } from "import-meta-resolve";
import { describeThrown } from "./class-name.js";
import { findErrorPlace } from "./error-place.js";
import { WorkflowError } from "./workflow-error.js";
/**
 * Imports what a string names: `module#export`, or `module` for its default export or the module itself.
 *
 * The module is a file (relative to `directory`, absolute, or a file: URL) or a package. TypeScript needs a loader in
 * this process.
 */
export async function importString(text, directory) {
    const { module, name } = parse(text);
    const exports = await importModule(module, directory);
    if (name === undefined)
        return "default" in exports ? exports["default"] : exports;
    if (Object.hasOwn(exports, name))
        return exports[name];
    // Node lists some names of a CommonJS module only as properties of its default export.
    const whole = exports["default"];
    if (typeof whole === "object" && whole !== null && Object.hasOwn(whole, name))
        return whole[name];
    const names = Object.keys(exports).join(", ") || "nothing";
    throw new WorkflowError("export_not_found", `${module} does not export ${name}. It exports ${names}.`);
}
function parse(text) {
    const hash = text.lastIndexOf("#");
    const [module, name] = hash < 0 ? [text, undefined] : [text.slice(0, hash), text.slice(hash + 1)];
    if (module !== "" && name !== "")
        return { module, name };
    const message = `The import string must be "module#export" or "module"; received ${JSON.stringify(text)}.`;
    throw new WorkflowError("invalid_import", message);
}
async function importModule(module, directory) {
    const file = findFile(module, directory);
    try {
        if (file !== undefined)
            return (await import(pathToFileURL(findMain(file)).href));
        return await importPackage(module, directory);
    }
    catch (error) {
        throw await importFailed(module, file, directory, error);
    }
}
/**
 * Returns the path of the file or folder that a module names, whether or not it exists; undefined if it names a
 * package. A bare name never means a folder.
 */
function findFile(module, directory) {
    if (module.startsWith("file:"))
        return fileURLToPath(module);
    const path = resolve(directory, module);
    return /^\.{1,2}(\/|$)/.test(module) || isAbsolute(module) || isFile(path) ? path : undefined;
}
function isFile(path) {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
/** Returns the main module of a folder: from its package.json, or its index. A file is returned as it is. */
function findMain(path) {
    if (!existsSync(path) || isFile(path))
        return path;
    try {
        return createRequire(path).resolve(path);
    }
    catch (cause) {
        throw new Error("it is a folder whose package.json names no main module, and it has no index.js", { cause });
    }
}
/**
 * Imports a package from the directory, else from Rolltape's own folder, which differs if Rolltape is installed
 * globally.
 */
async function importPackage(name, directory) {
    const url = resolveFrom(directory, name);
    if (typeof url === "string")
        return (await import(url));
    try {
        return (await import(name));
    }
    catch (error) {
        // If both fail, the error that names the user's directory helps more.
        throw isUnresolved(error) ? url : error;
    }
}
/** Returns the package's URL, or the error if it cannot be resolved. */
function resolveFrom(directory, name) {
    try {
        return resolveModule(name, pathToFileURL(resolve(directory, "package.json")).href);
    }
    catch (error) {
        return error;
    }
}
function isUnresolved(error) {
    const { code } = error;
    return code === "ERR_MODULE_NOT_FOUND" || code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
}
async function importFailed(module, file, directory, cause) {
    const why = (text) => new WorkflowError("import_failed", text, { cause });
    if (file !== undefined && !existsSync(file)) {
        return why(`${module} does not exist in ${directory}.`);
    }
    const unknownFile = findUnknownExtension(cause);
    if (unknownFile !== undefined && /\.[cm]?tsx?$/.test(unknownFile)) {
        const typescript = unknownFile === file ? module : unknownFile;
        return why(`${typescript} is TypeScript, and this process has no loader for it. Run it with: node --import tsx`);
    }
    // Resolved again, because a package that exists may fail to import another one.
    if (file === undefined && isUnresolved(cause) && typeof resolveFrom(directory, module) !== "string") {
        const message = readMessage(cause);
        return why(`${module} is neither a file in ${directory} nor a package that can be imported: ${message}`);
    }
    const place = await findErrorPlace(cause, file && pathToFileURL(file).href);
    const suffix = place === undefined || readMessage(cause).includes(place) ? "" : ` (${place})`;
    return why(`${module} could not be imported: ${describeThrown(cause)}${suffix}`);
}
/**
 * Returns the file whose extension Node does not know: the module, or one that it imports. Returns undefined for other
 * errors.
 */
function findUnknownExtension(cause) {
    const { code } = (cause ?? {});
    return code === "ERR_UNKNOWN_FILE_EXTENSION" ? / for (\/.*)$/m.exec(readMessage(cause))?.[1] : undefined;
}
function readMessage(error) {
    return error instanceof Error ? error.message : String(error);
}
//# sourceMappingURL=import-string.js.map