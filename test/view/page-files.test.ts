import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fastify, { type RouteOptions } from "fastify";
import { describe, expect, it } from "vitest";
import type { App } from "../../src/http/app-type.js";
import type { Source } from "../../src/view/api.js";
import { readPageFiles } from "../../src/view/http/page-files.js";
import { viewRoutes } from "../../src/view/http/view-routes.js";
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

/** Returns the routes of a page with these files. */
function routesOf(...names: string[]): RouteOptions[] {
  const app = fastify({ exposeHeadRoutes: false });
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  const page = new Map(names.map((name) => [name, { type: "text/html", content: Buffer.from("") }]));
  viewRoutes(app as unknown as App, { page, source: {} as Source, base: "/ui" });
  return routes;
}

it("has routes that the description of the server's API leaves out", () => {
  const routes = routesOf("index.html", "page.js");
  expect(routes.map(({ url }) => url)).toEqual(expect.arrayContaining(["/ui/", "/ui/page.js", "/ui/api/overview"]));
  expect(routes.filter(({ schema }) => (schema as { hide?: boolean }).hide !== true).map(({ url }) => url)).toEqual([]);
});

it("has no start page if the page has none", async () => {
  const handler = routesOf("page.js").find(({ url }) => url === "/ui/")?.handler as unknown as (
    request: object,
    reply: object,
  ) => Promise<unknown>;
  await expect(handler({ raw: { url: "/ui/" } }, {})).rejects.toMatchObject({ code: "not_found" });
});
