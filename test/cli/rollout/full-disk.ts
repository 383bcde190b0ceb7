import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../rolltape.js";

/** True if this process may mount file systems. In containers, even root often may not. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

/** Mounts a file system of this size in a new folder, and removes it when the test ends. */
export function smallDisk(bytes: number): string {
  const folder = temporaryFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}
