import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
const CHECK_MS = 10_000;
/**
 * Returns the place of an error in a module as `file:line:column` or `file:line`; undefined if it is unknown. If a
 * package threw the error, the calling line of the module follows.
 *
 * @param url URL of the imported module, to find the place of an error that occurs when it is linked
 */
export async function findErrorPlace(error, url) {
    if (!(error instanceof Error) || typeof error.stack !== "string")
        return undefined;
    const place = readHead(error.stack) ?? readFrame(error.stack);
    if (place !== undefined || !(error instanceof SyntaxError) || url === undefined)
        return place;
    return readHead(await printLinkErrors(url));
}
/** Reads the first line `file:line`, which errors of CommonJS modules and errors that end a process begin with. */
function readHead(text) {
    const [, place] = /^((?:file:\/\/)?\/.*:\d+)$/m.exec(text.split("\n    at ")[0] ?? "") ?? [];
    return place && withoutScheme(place);
}
/** Reads the innermost frame that is not Node's own. If it belongs to a package, the innermost other frame follows. */
function readFrame(stack) {
    const frames = [...stack.matchAll(/^\s+at (?:.*\()?((?:file:\/\/)?\/[^()\n]*:\d+:\d+)\)?$/gm)];
    const places = frames.map(([, place = ""]) => place);
    const [thrown] = places;
    if (thrown === undefined)
        return undefined;
    const own = places.find((place) => !place.includes("/node_modules/"));
    const by = own === undefined || own === thrown ? "" : `, called by ${withoutScheme(own)}`;
    return withoutScheme(thrown) + by;
}
function withoutScheme(place) {
    const [, file = place, line = ""] = /^(file:.*?)((?::\d+)+)$/.exec(place) ?? [];
    return file.startsWith("file:") ? fileURLToPath(file) + line : place;
}
/**
 * Returns what Node prints about a module that it cannot link. An uncaught error is needed, because only its output
 * names the line. The module's code does not run: the first import ends the process after linking.
 */
async function printLinkErrors(url) {
    const script = `import "data:text/javascript,process.exit()"; import ${JSON.stringify(url)};`;
    const args = ["--input-type=module", "--eval", script];
    const failed = await promisify(execFile)(process.execPath, args, { timeout: CHECK_MS }).catch((error) => error);
    const { stderr } = failed;
    return typeof stderr === "string" ? stderr : "";
}
//# sourceMappingURL=error-place.js.map