import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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

  it.each(["src", "dist"])(
    "takes the compiled addon of its package before the prebuilt one, from a file under %s",
    async (code) => {
      const folder = temporaryFolder();
      const loader = join(folder, code, "native", "addon.ts");
      write(loader);
      copyFileSync(fileURLToPath(new URL("../../src/native/addon.ts", import.meta.url)), loader);
      // An empty value counts as absent.
      vi.stubEnv("ROLLTAPE_ADDON_PATH", "");
      const load = () => {
        vi.resetModules();
        return import(/* @vite-ignore */ loader);
      };
      await expect(load()).rejects.toThrow(`no package.json above ${loader}`);
      write(join(folder, "package.json"), "{}");
      const compiled = join(folder, "build", "Release", "rolltape.node");
      const prebuilt = join(folder, "prebuilds", `${process.platform}-${process.arch}`, "rolltape.node");
      await expect(load()).rejects.toThrow(`none of these files exists: ${compiled}, ${prebuilt}.`);
      for (const addon of [prebuilt, compiled]) {
        write(addon, "not an addon");
        await expect(load()).rejects.toThrow(`does not load on this machine: ${addon}`);
      }
    },
  );
});

function write(path: string, content = ""): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
