import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** An ext4 file system on a block device that can refuse writes to blocks that were never written, as thin volumes do. */
export interface FailingDevice {
  readonly folder: string;
  fail(): void;
  recover(): void;
  /** Mounts the file system again, so that its files have what is on the device. No file may be open. */
  remount(): void;
  remove(): void;
}

/** Size of a block, and of a page of the file system in memory. */
const BLOCK_BYTES = 4096;

const run = (command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/**
 * Makes a device of a sparse file. The file is on a file system in memory that has less space than the device. When that is full, the
 * device refuses to write new blocks.
 *
 * @returns undefined if this user may not make devices
 */
export function makeFailingDevice(): FailingDevice | undefined {
  const base = mkdtempSync(join(tmpdir(), "rolltape-device-"));
  const [memory, folder] = [join(base, "memory"), join(base, "disk")];
  for (const each of [memory, folder]) mkdirSync(each);
  const [image, filler] = [join(memory, "image"), join(memory, "filler")];
  const undo = [() => rmSync(base, { recursive: true })];
  const remove = () => {
    for (const step of undo.splice(0).reverse()) step();
  };
  try {
    run("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", memory);
    undo.push(() => void run("umount", memory));
    run("truncate", "-s", "128M", image);
    const device = run("losetup", "--find", "--show", image);
    undo.push(() => void run("losetup", "--detach", device));
    // A loop device confirms a write of which its file took only a part (Linux 6.18). One block is taken whole or not at all.
    writeFileSync(join("/sys/block", basename(device), "queue/max_sectors_kb"), String(BLOCK_BYTES / 1024));
    // The journal and the tables are written now, so that only blocks of files can fail.
    const tables = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
    run("mkfs.ext4", "-q", "-b", String(BLOCK_BYTES), "-J", "size=4", "-E", tables, device);
    run("mount", device, folder);
    undo.push(() => void run("umount", folder));
    return {
      folder,
      fail: () => {
        const { bavail, bsize } = statfsSync(memory);
        try {
          writeFileSync(filler, Buffer.alloc(bavail * bsize));
        } catch (error) {
          // The server may write to the device at the same time.
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      },
      recover: () => rmSync(filler, { force: true }),
      remount: () => {
        run("umount", folder);
        run("mount", device, folder);
      },
      remove,
    };
  } catch {
    remove();
    return undefined;
  }
}
