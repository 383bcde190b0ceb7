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

/** Creates a package with these files in the page's folder of its sources, and in that of the built server. */
function packageOf(sources: readonly string[], built: readonly string[]): string {
  const root = testFolder();
  for (const [folder, names] of [
    ["src", sources],
    ["dist", built],
  ] as const) {
    mkdirSync(join(root, folder, "view/page"), { recursive: true });
    for (const name of names) writeFileSync(join(root, folder, "view/page", name), name);
  }
  return root;
}

const BUILT = ["index.html", "page.js", "page.css", "page.js.map"];

describe("the files of the page", () => {
  it.each([
    ["the built server", ["index.html", "other.js"], "dist/view/http/page-files.js"],
    ["the sources", ["index.html", "main.tsx"], "src/view/http/page-files.ts"],
    ["sources without a page", ["page.js"], "src/view/http/page-files.ts"],
  ])("are those of the built page, by type, for %s", async (_, sources, module) => {
    const files = await readPageFiles(pathToFileURL(join(packageOf(sources, BUILT), module)).href);
    const found = [...files].map(([name, { type, content }]) => [name, { type, content: content.toString() }]);
    expect(Object.fromEntries(found)).toEqual({
      "index.html": { type: "text/html; charset=utf-8", content: "index.html" },
      "page.css": { type: "text/css; charset=utf-8", content: "page.css" },
      "page.js": { type: "text/javascript; charset=utf-8", content: "page.js" },
    });
  });

  it("are missing if the page was not built", async () => {
    const root = packageOf([], ["index.html", "page.css"]);
    const from = pathToFileURL(join(root, "src/view/http/page-files.ts")).href;
    await expect(readPageFiles(from)).rejects.toThrow("npm run build");
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
