import { accessSync, constants, type StatsFs, statfsSync } from "node:fs";
import { open, statfs } from "node:fs/promises";

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
  return describeFileSystem(await statfs(folder));
}

/** Describes a file system by what statfs(2) says of it. */
export function describeFileSystem({ type, bavail, bsize }: Pick<StatsFs, "type" | "bavail" | "bsize">): FileSystem {
  const freeBytes = bavail * bsize;
  return {
    network: NETWORK_FILE_SYSTEMS.get(type >>> 0),
    virtual: VIRTUAL_FILE_SYSTEMS.get(type >>> 0),
    inMemory: type === TMPFS,
    isFull: freeBytes < MIN_FREE_BYTES,
    freeBytes,
  };
}

/** Returns the free space of the file system of a folder, in bytes. */
export function readFreeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** Checks that the file system of a folder has this much space and {@link MIN_FREE_BYTES} more. Cleaning uses the rest to free space. */
export function requireSpace(directory: string, bytes: number): void {
  const [free, needed] = [readFreeBytes(directory), MIN_FREE_BYTES + bytes];
  if (free >= needed) return;
  throw new Error(DISK_FULL, {
    cause: new Error(`${directory} needs ${needed} free bytes on its disk, but ${free} are free`),
  });
}

/**
 * Waits until the content of a file, or the names in a folder, are on disk. Without it, a loss of power could empty or remove a file that was
 * just written.
 */
export async function syncPath(path: string): Promise<void> {
  await using file = await open(path, "r");
  await file.sync();
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
