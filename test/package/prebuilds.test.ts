import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CHECK = join(ROOT, "scripts", "check-prebuilds.mjs");

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  for (const source of ["CMakeLists.txt", "native"])
    cpSync(join(ROOT, source), join(folder, source), { recursive: true });
});

const check = () => spawnSync(process.execPath, [CHECK, folder], { encoding: "utf8" });

/** Puts an addon, compiled from the folder's sources as they are now, into the folder. */
async function addPrebuilt(target: string): Promise<void> {
  const { DIGEST_FILE, digestSources } = (await import(join(ROOT, "scripts/prebuilds/sources.mjs"))) as {
    DIGEST_FILE: string;
    digestSources: (root: string) => string;
  };
  const path = join(folder, "prebuilds", target, DIGEST_FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${digestSources(folder)}\n`);
}

describe("npm pack", () => {
  it("accepts a package without prebuilt addons, and one with addons of its sources", async () => {
    expect(check()).toMatchObject({ status: 0, stderr: "" });
    await addPrebuilt("linux-x64");
    expect(check()).toMatchObject({ status: 0, stderr: "" });
  });

  it("refuses addons of other sources, and addons without a digest", async () => {
    await addPrebuilt("linux-x64");
    appendFileSync(join(folder, "native", "binding", "addon.cc"), "// changed\n");
    await addPrebuilt("linux-arm64");
    mkdirSync(join(folder, "prebuilds", "old"));
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toMatch(/other sources: linux-x64, old\. Run `npm run build:prebuilds`/);
  });

  it("ignores changes of the addon's tests", async () => {
    await addPrebuilt("linux-x64");
    writeFileSync(join(folder, "native", "test", "new_test.cc"), "");
    expect(check().status).toBe(0);
  });
});
