import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { statfs } from "node:fs/promises";

/** Network file systems by their `f_type` in statfs(2); from linux/magic.h and the sources of the file systems. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x517b, "SMB"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x19830326, "BeeGFS"],
  [0x01021997, "9P"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x65735546, "FUSE"],
]);

/** File systems whose files are not stored on a disk, by their `f_type`. */
const VIRTUAL_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x9fa0, "proc"],
  [0x62656572, "sysfs"],
  [0x1cd1, "devpts"],
  [0x27e0eb, "cgroup"],
  [0x63677270, "cgroup2"],
  [0x64626720, "debugfs"],
  [0x74726163, "tracefs"],
  [0x73636673, "securityfs"],
  [0x62656570, "configfs"],
  [0x6165676c, "pstore"],
  [0xcafe4a11, "bpf"],
  [0xde5e81e4, "efivarfs"],
]);

const TMPFS = 0x01021994;
/** A file system with less free space counts as full. */
const MIN_FREE_BYTES = 2 ** 20;
const PAGE_BYTES = 4096;
/** Maximum space for the copies of pages. A commit that removes thousands of records uses most of its copies again. */
const MAX_COPY_BYTES = 32 * 2 ** 20;
const PROBE_BYTES = 2 ** 16;
/** Why a commit fails on a full disk. */
export const DISK_FULL = "the disk is full";

export interface FileSystem {
  /** Name of the network file system; undefined if it is local. */
  readonly network: string | undefined;
  /** Name of the file system if its files are not stored on a disk, such as those in /proc. */
  readonly virtual: string | undefined;
  /** True if its files are lost when the machine stops. */
  readonly inMemory: boolean;
  readonly isFull: boolean;
  readonly freeBytes: number;
}

/** Describes the file system of a folder. */
export async function inspectFileSystem(folder: string): Promise<FileSystem> {
  const { type, bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  return {
    network: NETWORK_FILE_SYSTEMS.get(type >>> 0),
    virtual: VIRTUAL_FILE_SYSTEMS.get(type >>> 0),
    inMemory: type === TMPFS,
    isFull: freeBytes < MIN_FREE_BYTES,
    freeBytes,
  };
}

/**
 * Checks that the file system of a file has space for a commit.
 *
 * @param bytes size of the changes
 * @param changes number of the changes. LMDB writes a copy of the page that each of them changes
 */
export function requireSpace(path: string, bytes: number, changes: number): void {
  const { bavail, bsize } = statfsSync(path);
  const copies = Math.min(changes * PAGE_BYTES, statSync(path).size, MAX_COPY_BYTES);
  const [free, needed] = [bavail * bsize, MIN_FREE_BYTES + 2 * bytes + copies];
  if (free >= needed) return;
  throw new Error(DISK_FULL, {
    cause: new Error(`${path} needs ${needed} free bytes on its disk, but ${free} are free`),
  });
}

/** Waits until a file, or the names in a folder, are on disk. Without it, a loss of power could remove a file that was just created. */
export function syncPath(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns true if a folder is on a file system that is mounted read-only. */
export function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

/** Checks that the file system of a file accepts writes, with a file beside it. Throws the error of the system. */
export function requireWrites(path: string): void {
  const probe = `${path}.probe`;
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES, 1), { flush: true, mode: 0o600 });
  } finally {
    rmSync(probe, { force: true });
  }
}
