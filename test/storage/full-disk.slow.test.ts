import { expect, onTestFinished, test, vi } from "vitest";
import { mountSmallDisk } from "../helpers/small-disk.js";
import { openStorage, record } from "./stored-folder.js";

vi.setConfig({ testTimeout: 120_000 });

test.for([20, 40])("a disk with %i MB of values and much garbage is not full for ever", async (live, { skip }) => {
  const disk = mountSmallDisk(100);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const storage = await openStorage(disk.folder);
  const megabyte = (n: number) => Buffer.alloc(1_000_000, n);
  for (let n = 0; n < live; n++) {
    storage.write([record(1, n, megabyte(n))]);
    await storage.flushed();
  }
  // A refused write is tried again each second.
  const recovered = () => vi.waitUntil(() => storage.failure === undefined, { timeout: 20_000 });
  for (let n = 0; n < 300; n++) {
    storage.write([record(2, n % 5, megabyte(n))]);
    await storage.flushed().catch(recovered);
  }
  await storage.committed();
  expect([...storage.range("records")].map(({ value }) => value[0])).toEqual([
    ...Array.from({ length: live }, (_, n) => n),
    ...Array.from({ length: 5 }, (_, n) => (295 + n) % 256),
  ]);
  await storage.close();
});
