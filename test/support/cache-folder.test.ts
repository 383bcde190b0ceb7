import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { cacheFolder } from "../../src/support/cache-folder.js";

it.each([
  [{ ROLLTAPE_CACHE_DIR: "/own", XDG_CACHE_HOME: "/cache", HOME: "/home/a" }, "/own"],
  [{ ROLLTAPE_CACHE_DIR: "own" }, resolve("own")],
  [{ XDG_CACHE_HOME: "/cache", HOME: "/home/a" }, "/cache/rolltape"],
  [{ ROLLTAPE_CACHE_DIR: "", XDG_CACHE_HOME: "", HOME: "/home/a" }, "/home/a/.cache/rolltape"],
  [{}, join(homedir(), ".cache", "rolltape")],
])("with the environment %j the cache is in %s", (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
