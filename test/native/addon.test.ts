import { afterEach, describe, expect, it, vi } from "vitest";

describe("the addon's loader", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });

  it("fails with the build command if the addon is missing", async () => {
    vi.resetModules();
    vi.stubEnv("ROLLTAPE_ADDON_PATH", "/nowhere/rolltape.node");
    await expect(import("../../src/native/addon.js")).rejects.toThrow(
      /\/nowhere\/rolltape\.node.*npm rebuild.*cmake-js/,
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
