import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
/** Returns the command that runs a program of this folder with Node, compiled or from the sources, as in tests. */
export function nodeProgram(name) {
    const isSource = import.meta.url.endsWith(".ts");
    const file = fileURLToPath(new URL(`./${name}.${isSource ? "ts" : "js"}`, import.meta.url));
    return [process.execPath, ...(isSource ? ["--import", findSourceLoader()] : []), file];
}
/** Returns the loader of sources by its URL, because a program may start in any folder. */
function findSourceLoader() {
    return pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
}
//# sourceMappingURL=node-program.js.map