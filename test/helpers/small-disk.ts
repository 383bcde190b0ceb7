import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small file system in memory, which a test can fill up. */
export interface SmallDisk {
  readonly folder: string;
  /** Writes a file until the disk is full. The server may write meanwhile, so free space that was measured before says little. */
  fill(): void;
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
    fill: () => fillDisk(join(folder, "rest")),
    grow: (size) => void execFileSync("mount", ["-o", `remount,size=${size}m`, folder]),
    makeReadOnly: () => void execFileSync("mount", ["-o", "remount,ro", folder]),
    remove: () => {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

function fillDisk(path: string): void {
  const file = openSync(path, "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}
