import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { readPageFiles } from "../../src/view/http/page-files.js";
import { testFolder } from "./recorded-run.js";

/** Creates a folder of a page. */
function folderOf(...names: string[]): URL {
  const folder = join(testFolder(), "page");
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), name);
  return pathToFileURL(`${folder}/`);
}

describe("the files of the page", () => {
  it("are those of the first folder with a built page, by type", async () => {
    const built = folderOf("index.html", "page.js", "page.css", "page.js.map");
    const folders = [new URL("file:///nowhere/"), folderOf("page.js"), folderOf("index.html", "main.tsx"), built];
    const files = await readPageFiles([...folders, folderOf("index.html", "other.js")]);
    const found = [...files].map(([name, { type, content }]) => [name, { type, content: content.toString() }]);
    expect(Object.fromEntries(found)).toEqual({
      "index.html": { type: "text/html; charset=utf-8", content: "index.html" },
      "page.css": { type: "text/css; charset=utf-8", content: "page.css" },
      "page.js": { type: "text/javascript; charset=utf-8", content: "page.js" },
    });
  });

  it("are missing if the page was not built", async () => {
    await expect(readPageFiles([folderOf("index.html", "page.css")])).rejects.toThrow("npm run build");
  });
});
