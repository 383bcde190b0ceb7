import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/** The files of the page by name, `index.html` among them. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Folders that may have the built page: that of the built server, or in `dist` if the server runs from its sources. */
const FOLDERS = ["../page/", "../../../dist/view/page/"];

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/**
 * Reads the built page. Throws if it was not built.
 *
 * @param from the address of this module
 */
export async function readPageFiles(from = import.meta.url): Promise<PageFiles> {
  for (const path of FOLDERS) {
    const folder = fileURLToPath(new URL(path, from));
    const names: string[] = await readdir(folder).catch(() => []);
    if (!names.includes("index.html")) continue;
    const files = new Map<string, PageFile>();
    for (const name of names) {
      const type = TYPES[extname(name)];
      if (type !== undefined) files.set(name, { type, content: await readFile(join(folder, name)) });
    }
    // The folder of the sources has an index.html, too, but no script that a browser can run.
    if ([...files.keys()].some((name) => name.endsWith(".js"))) return files;
  }
  throw new Error("The page of the viewer was not built: run `npm run build`.");
}
