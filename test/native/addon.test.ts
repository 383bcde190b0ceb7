import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";

describe("the addon's loader", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  it("fails with the build command if the addon is missing", async () => {
    vi.resetModules();
    vi.stubEnv("ROLLTAPE_ADDON_PATH", "/nowhere/rolltape.node");
    await expect(import("../../src/native/addon.js")).rejects.toThrow(
      /\/nowhere\/rolltape\.node.*npm rebuild.*cmake, make/,
    );
  });

  it("says what is wrong with an addon that does not load, and how to compile one", async () => {
    vi.resetModules();
    const broken = join(temporaryFolder(), "rolltape.node");
    writeFileSync(broken, "not an addon");
    vi.stubEnv("ROLLTAPE_ADDON_PATH", broken);
    await expect(import("../../src/native/addon.js")).rejects.toThrow(
      /does not load on this machine: .*rolltape\.node: .*ROLLTAPE_BUILD_ADDON=1 npm rebuild rolltape/,
    );
  });

  it("returns the same addon every time", async () => {
    const first = (await import("../../src/native/addon.js")).native;
    vi.resetModules();
    const second = (await import("../../src/native/addon.js")).native;
    const session = new first.Session();
    expect(session.findParent(second.digestMessages(["a"]))).toBeUndefined();
    expect(second.digestMessages(["a"])).toEqual(first.digestMessages(["a"]));
  });
});
