import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { changeStored, newFolder, recordBranches, startStored } from "../../cli/storage/stored-sessions.js";

/** Checks of a folder that a server makes before it continues its sessions. */

const readFiles = (directory: string) =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).toString("base64")]));

const unusable = (message: string) => ({ code: "storage_unusable", message: expect.stringContaining(message) });

it("changes no file of a folder that a newer version left", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const { records, storage } = proxy.context.storage ?? {};
  records?.saveValue("identity", { ...(records.readValue("identity") as object), format: 6 });
  await storage?.committed();
  await recordBranches(proxy, "task");
  // A copy of the files is what a crash leaves. Their lock belongs to the running server.
  const crashed = newFolder();
  cpSync(directory, crashed, { recursive: true });
  const before = readFiles(crashed);
  expect([...before.keys()]).toEqual(expect.arrayContaining(["manifest", "segment-00000001.log"]));
  await expect(startStored(crashed)).rejects.toMatchObject(
    unusable(
      "has records of version 6; this Rolltape reads version 5. " +
        "Use the newer Rolltape that wrote them, or another folder.",
    ),
  );
  expect(readFiles(crashed)).toEqual(before);
});

it.each(["identity", "registry"])("refuses a folder with sessions that lost the value %s", async (name) => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  await recordBranches(proxy, "task");
  await proxy.close();
  await changeStored(directory, () => [{ table: "meta", key: Buffer.from(name), value: undefined }]);
  await expect(startStored(directory)).rejects.toMatchObject(
    unusable(
      `has lost values that a server needs to continue its sessions (${name}). ` +
        "`rolltape export --storage` exports what can be read; start the server on another folder.",
    ),
  );
});

it("starts on a folder without sessions that has no identity", async () => {
  const directory = newFolder();
  await (await startStored(directory)).close();
  await changeStored(directory, () => [{ table: "meta", key: Buffer.from("identity"), value: undefined }]);
  const proxy = await startStored(directory);
  expect(proxy.context.storage?.records.readValue("identity")).toMatchObject({ format: 5 });
});

it("does not take a value for another one whose name it begins with", async () => {
  const { records, storage } = (await startStored(newFolder())).context.storage ?? {};
  records?.saveValue("name-of-another", 1);
  await storage?.committed();
  expect([records?.readValue("name"), records?.readValue("name-of-another")]).toEqual([undefined, 1]);
});
