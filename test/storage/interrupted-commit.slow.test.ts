import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Storage } from "../../src/storage/storage.js";
import { makeFailingDevice } from "../helpers/failing-device.js";

const key = (n: number) => Buffer.from(`key ${n}`);
const value = (n: number) => Buffer.alloc(20_000, `value ${n}`);

test("has what was confirmed after a process died during a commit that the disk refused", async ({ skip }) => {
  const device = makeFailingDevice();
  if (!device) return skip("only root may make a block device");
  onTestFinished(() => device.remove());
  const directory = join(device.folder, "storage");
  const open = () => Storage.open({ directory, durability: "interval", intervalMilliseconds: 1 });
  const write = async (storage: Storage, n: number) => {
    storage.write([{ table: "meta", key: key(n), value: value(n) }]);
    await storage.committed();
  };

  let storage = await open();
  for (let n = 0; n < 20; n++) await write(storage, n);
  // As if the process died before it could mark the failure: a file cannot be created at a link to nowhere.
  symlinkSync("nowhere/file", join(directory, "data.mdb.failed-sync"));
  device.fail();
  await expect(write(storage, 20)).rejects.toThrow("did not confirm");
  device.recover();
  await storage.close();
  unlinkSync(join(directory, "data.mdb.failed-sync"));

  storage = await open();
  for (let n = 20; n < 40; n++) await write(storage, n);
  await storage.close();
  device.remount();

  storage = await open();
  for (let n = 0; n < 40; n++) expect(storage.get("meta", key(n))).toEqual(value(n));
  await storage.close();
});
