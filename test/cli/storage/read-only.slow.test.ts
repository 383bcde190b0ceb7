import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { native } from "../../../src/native/addon.js";
import { Storage } from "../../../src/storage/index.js";
import { Proxy } from "../../helpers/proxy.js";
import { mountSmallDisk } from "../../helpers/small-disk.js";
import { runRolltape, temporaryFolder } from "../rolltape.js";
import { recordBranches } from "./stored-sessions.js";

/** Folders on a read-only file system. */

vi.setConfig({ testTimeout: 120_000 });

const NO_MOUNT = "only root may mount a small file system";

/** Mounts a file system with the folder of a killed server, as read-only. Returns undefined if this user may not. */
async function mountReadOnly(): Promise<string | undefined> {
  const disk = mountSmallDisk(8);
  if (!disk) return undefined;
  onTestFinished(() => disk.remove());
  const served = temporaryFolder();
  const proxy = await Proxy.start({ storage: { directory: served } });
  onTestFinished(() => proxy.close());
  await recordBranches(proxy, "task-0");
  cpSync(served, disk.folder, { recursive: true });
  disk.makeReadOnly();
  return disk.folder;
}

it("can be verified, inspected and exported on a read-only file system, but not compacted or served", async ({
  skip,
}) => {
  const directory = await mountReadOnly();
  if (directory === undefined) return skip(NO_MOUNT);
  expect(readdirSync(directory)).toContain("rolltape.lock");
  const out = join(temporaryFolder(), "batch.safetensors");
  for (const args of [
    ["storage", "verify", directory],
    ["storage", "inspect", directory],
    ["export", "--storage", directory, "--out", out],
  ]) {
    expect(await runRolltape(args)).toMatchObject({ stderr: "", code: 0 });
  }
  const { code, stderr } = await runRolltape(["storage", "compact", directory]);
  expect(stderr).toContain(`${directory} is on a read-only file system. Copy the folder, or `);
  expect(code).toBe(1);
  await expect(Storage.open({ directory, durability: "call" })).rejects.toThrow(
    `${directory} is on a read-only file system. Use another folder.`,
  );
});

it("can be read on a read-only file system while another process has its lock", async ({ skip }) => {
  const directory = await mountReadOnly();
  if (directory === undefined) return skip(NO_MOUNT);
  // A lock through another mount of the same file system is the same lock.
  const lock = new native.FileLock(join(directory, "rolltape.lock"));
  onTestFinished(() => lock.release());
  expect(lock.held).toBe(true);
  const verified = await runRolltape(["storage", "verify", directory]);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/: intact\n$/) });
  const inspected = await runRolltape(["storage", "inspect", directory]);
  expect(inspected).toMatchObject({ code: 0, stdout: expect.stringContaining(", open in a server\n") });
});
