import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../rolltape.js";

/** Whether this process may mount file systems; containers often may not, root or not. */
export const canMount = (() => {
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], { stdio: "ignore" });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
})();

/** A file system of its own in a new folder, with so many bytes; it goes with the test. */
export function smallDisk(bytes: number): string {
  const folder = temporaryFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", folder]));
  return folder;
}
