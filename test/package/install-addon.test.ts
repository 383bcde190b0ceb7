import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
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
});
