import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small file system in memory, which a test can fill up. */
export interface SmallDisk {
  readonly folder: string;
  grow(megabytes: number): void;
  /** No file may be open for writing. */
  makeReadOnly(): void;
  remove(): void;
}

/** Mounts a file system of this size. Returns undefined if this user may not mount file systems. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    grow: (size) => void execFileSync("mount", ["-o", `remount,size=${size}m`, folder]),
    makeReadOnly: () => void execFileSync("mount", ["-o", "remount,ro", folder]),
    remove: () => {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
