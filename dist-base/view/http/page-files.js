import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
/** Folders that may have the built page: beside the built server, or in `dist` if the server runs from its sources. */
const FOLDERS = ["./page/", "../page/", "../../../dist/view/page/"].map((path) => new URL(path, import.meta.url));
const TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
};
/** Reads the built page. Throws if it was not built. */
export async function readPageFiles(folders = FOLDERS) {
    for (const url of folders) {
        const folder = fileURLToPath(url);
        const names = await readdir(folder).catch(() => []);
        if (!names.includes("index.html"))
            continue;
        const files = new Map();
        for (const name of names) {
            const type = TYPES[extname(name)];
            if (type !== undefined)
                files.set(name, { type, content: await readFile(join(folder, name)) });
        }
        // The folder of the sources has an index.html, too, but no script that a browser can run.
        if ([...files.keys()].some((name) => name.endsWith(".js")))
            return files;
    }
    throw new Error("The page of the viewer was not built: run `npm run build`.");
}
//# sourceMappingURL=page-files.js.map