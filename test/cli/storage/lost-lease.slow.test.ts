import { expect, test, vi } from "vitest";
import { inspectStorage } from "../../../src/cli/storage/inspect-storage.js";
import { StorageReader } from "../../../src/storage/index.js";
import { changeStored, newFolder, recordBranches, startStored } from "./stored-sessions.js";

vi.setConfig({ testTimeout: 120_000 });

function inspect(directory: string) {
  using storage = StorageReader.open(directory);
  return inspectStorage(storage);
}

test("a held session whose lease is missing is ended again at the start", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const session = await recordBranches(proxy, "a");
  await proxy.end(session);
  await proxy.post("/export_batch", { session_ids: [session.id], acknowledge: true });
  await proxy.close();
  expect(inspect(directory)).toMatchObject({ held_exports: 1, sessions: { held: 1, ended: 0 } });

  await changeStored(directory, (storage) =>
    [...storage.range("leases")].map(({ key }) => ({ table: "leases", key: Buffer.from(key), value: undefined })),
  );
  const next = await startStored(directory);
  await next.close();
  expect(inspect(directory)).toMatchObject({ held_exports: 0, sessions: { held: 0, ended: 1 } });
});
