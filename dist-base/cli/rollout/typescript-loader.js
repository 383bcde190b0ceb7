import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
/**
 * Loads the tsx of the agent's project, so that this process can import an agent in TypeScript. Returns the Node
 * arguments with which worker processes do the same.
 *
 * Does nothing if Node reads TypeScript itself, or if no tsx is found. The error of the import then says what is
 * missing.
 */
export async function loadTypeScript(specifier) {
    const [module = ""] = specifier.split("#");
    if (!/\.[cm]?tsx?$/.test(module) || readsTypeScript())
        return [];
    const loader = findTsx(resolve(module)) ?? findTsx(resolve("package.json"));
    if (loader === undefined)
        return [];
    await import(loader);
    return ["--import", loader];
}
function readsTypeScript() {
    const { typescript } = process.features;
    const nodeOptions = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
    return Boolean(typescript) || /\btsx\b/.test(nodeOptions);
}
/** Returns the URL of the tsx that a file at this path would import. */
function findTsx(from) {
    try {
        return pathToFileURL(createRequire(from).resolve("tsx")).href;
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=typescript-loader.js.map