import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  describeFileSystem,
  inspectFileSystem,
  isReadOnly,
  readFreeBytes,
  requireSpace,
} from "../../src/storage/file-system.js";
import { lockFolder, lockForChange } from "../../src/storage/folder.js";
import { mountSmallDisk } from "../helpers/small-disk.js";
import { newFolder } from "./stored-folder.js";

/** Numbers of linux/magic.h, and of the sources of file systems that it lacks. */
const [EXT4, TMPFS] = [0xef53, 0x01021994];
const FREE = { bavail: 1 << 20, bsize: 4096 };

describe("a file system", () => {
  it.each([
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
    // A 32-bit number with its sign, as some systems report it.
    [0xff534d42 | 0, "CIFS"],
  ])("with type %i is the network file system %s", (type, network) => {
    expect(describeFileSystem({ type, ...FREE })).toMatchObject({ network, virtual: undefined });
  });

  it.each([
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
  ])("with type %i has no disk: %s", (type, virtual) => {
    expect(describeFileSystem({ type, ...FREE })).toMatchObject({ network: undefined, virtual });
  });

  it("in memory or on a local disk is neither", () => {
    const local = { network: undefined, virtual: undefined, inMemory: false, isFull: false, freeBytes: 2 ** 32 };
    expect(describeFileSystem({ type: EXT4, ...FREE })).toEqual(local);
    expect(describeFileSystem({ type: TMPFS, ...FREE })).toEqual({ ...local, inMemory: true });
  });

  it("is full with less than a mebibyte of free space", () => {
    expect(describeFileSystem({ ...FREE, type: EXT4, bavail: 256 })).toMatchObject({ isFull: false });
    expect(describeFileSystem({ ...FREE, type: EXT4, bavail: 255 })).toMatchObject({
      isFull: true,
      freeBytes: 255 * 4096,
    });
  });
});

it("says what the file system of a folder has", async () => {
  expect(await inspectFileSystem(newFolder())).toMatchObject({ network: undefined, virtual: undefined, isFull: false });
});

describe("a small disk", () => {
  it("has space for a record if a mebibyte stays free", ({ skip }) => {
    const disk = mountSmallDisk(4);
    if (!disk) return skip("only root may mount a small file system");
    onTestFinished(() => disk.remove());
    const free = readFreeBytes(disk.folder);
    expect(free).toBe(4 * 2 ** 20);
    expect(() => requireSpace(disk.folder, 3 * 2 ** 20)).not.toThrow();
    const refused = () => requireSpace(disk.folder, 3 * 2 ** 20 + 1);
    const cause = new Error(`${disk.folder} needs ${free + 1} free bytes on its disk, but ${free} are free`);
    expect(refused).toThrow(new Error("the disk is full", { cause }));
  });

  it("can be mounted read-only", ({ skip }) => {
    const disk = mountSmallDisk(4);
    if (!disk) return skip("only root may mount a small file system");
    onTestFinished(() => disk.remove());
    expect(isReadOnly(disk.folder)).toBe(false);
    disk.makeReadOnly();
    expect(isReadOnly(disk.folder)).toBe(true);
    expect(() => lockFolder(disk.folder)).toThrow("is on a read-only file system. Use another folder.");
    expect(() => lockForChange(disk.folder)).toThrow(
      "is on a read-only file system. Copy the folder, or mount the file system for writing.",
    );
  });
});

it("says that a folder which does not exist is not read-only", () => {
  expect(isReadOnly(join(newFolder(), "none"))).toBe(false);
});

it("refuses a record for which a file system has no space", () => {
  const folder = newFolder();
  expect(() => requireSpace(folder, 1)).not.toThrow();
  expect(() => requireSpace(folder, Number.MAX_SAFE_INTEGER - 2 ** 20)).toThrow("the disk is full");
});
