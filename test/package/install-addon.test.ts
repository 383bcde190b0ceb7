import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDON = join(ROOT, "build", "Release", "rolltape.node");
const TARGET = `${process.platform}-${process.arch}`;

/** Creates the folder of an installed package, as far as its install script needs it. */
function packageFolder(): string {
  const folder = temporaryFolder();
  for (const file of ["package.json", "scripts/install", "scripts/install-addon.mjs"])
    cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  return folder;
}

/** Puts a prebuilt addon into a package's folder: the compiled one, or these bytes. */
function addPrebuilt(folder: string, bytes?: string): void {
  const path = join(folder, "prebuilds", TARGET, "rolltape.node");
  mkdirSync(dirname(path), { recursive: true });
  if (bytes === undefined) cpSync(ADDON, path);
  else writeFileSync(path, bytes);
}

/** Runs a package's install script on a machine without compiler: nothing is on the path. */
function install(folder: string, env: Readonly<Record<string, string>> = {}) {
  const script = join(folder, "scripts", "install-addon.mjs");
  return spawnSync(process.execPath, [script], { env: { PATH: "", ...env }, encoding: "utf8" });
}

describe("the package's install script", () => {
  it("uses a prebuilt addon that loads, without a compiler", () => {
    const folder = packageFolder();
    addPrebuilt(folder);
    expect(install(folder)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(existsSync(join(folder, "build"))).toBe(false);
  });

  it("fails with the tools that are missing if the package has no addon for this machine", () => {
    const { status, stderr } = install(packageFolder());
    expect(status).toBe(1);
    expect(stderr).toContain(`so it is compiled: the package has none for ${TARGET}`);
    expect(stderr).toMatch(/needs cmake and make \(or ninja\) and a C\+\+ compiler.*apt-get install cmake make g\+\+/);
  });

  it("compiles if the prebuilt addon does not load, and says why", () => {
    const folder = packageFolder();
    addPrebuilt(folder, "not an addon");
    const { status, stderr } = install(folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/no prebuilt addon fits, so it is compiled: it does not load: Error: .*rolltape\.node/);
  });

  it("compiles with ROLLTAPE_BUILD_ADDON although the prebuilt addon fits", () => {
    const folder = packageFolder();
    addPrebuilt(folder);
    const { status, stderr } = install(folder, { ROLLTAPE_BUILD_ADDON: "1" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^rolltape: compiling the native addon needs cmake/);
  });

  it("fetches what compiles the addon, which the package does not depend on", () => {
    const folder = packageFolder();
    const cmakeJs = "writeFileSync(join(out, 'rolltape.node'), process.env.NODE_PATH)";
    const { status, stderr } = install(folder, { PATH: programs(cmakeJs) });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("none for") });
    const built = readFileSync(join(folder, "build", "Release", "rolltape.node"), "utf8");
    expect(built).toBe(join(folder, "build-install", "tools", "node_modules"));
    expect(existsSync(join(folder, "build-install"))).toBe(false);
  });

  it("names what compiles the addon if npm cannot fetch it", () => {
    const { status, stderr } = install(packageFolder(), { PATH: programs(undefined) });
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm install cmake-js@\^8\S* node-addon-api@\^8\S* node-api-headers@\^1/);
  });
});

/** Returns a folder with tools that do nothing, and an npm that installs this cmake-js, or fails. */
function programs(cmakeJs: string | undefined): string {
  const folder = temporaryFolder();
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), [`#!${process.execPath}`, ...lines].join("\n"), { mode: 0o755 });
  for (const tool of ["cmake", "make", "c++"]) write(tool, []);
  const script = [
    "const { mkdirSync, writeFileSync } = require('node:fs');",
    "const { join } = require('node:path');",
    "const out = join(process.argv[process.argv.indexOf('--out') + 1], 'Release');",
    "mkdirSync(out, { recursive: true });",
    cmakeJs ?? "",
  ].join("\n");
  write("npm", [
    "const { mkdirSync, writeFileSync } = require('node:fs');",
    `if (${cmakeJs === undefined}) process.exit(1);`,
    "mkdirSync('node_modules/cmake-js/bin', { recursive: true });",
    `writeFileSync('node_modules/cmake-js/bin/cmake-js', ${JSON.stringify(script)});`,
  ]);
  return folder;
}
