import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openForReading, Storage } from "../../src/storage/index.js";

test("all reads beside a server see one commit", async () => {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-live-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const storage = await Storage.open({ directory, durability: "call" });
  const commit = async (text: string) => {
    const value = Buffer.from(text);
    storage.write([
      { table: "meta", key: Buffer.from("a"), value },
      { table: "sessions", key: Buffer.from(text), value },
      { table: "records", key: Buffer.from(text), value: Buffer.alloc(50_000) },
    ]);
    await storage.committed();
  };
  await commit("first");
  const { reader, isOpen } = openForReading(directory);
  expect(isOpen).toBe(true);
  const size = reader.readSize();
  const names = () => [...reader.range("sessions")].map(({ key }) => key.toString());
  expect(names()).toEqual(["first"]);
  for (let i = 0; i < 5; i++) await commit(`second ${i}`);
  expect(reader.get("meta", Buffer.from("a"))?.toString()).toBe("first");
  expect(names()).toEqual(["first"]);
  expect(reader.readSize().usedBytes).toBe(size.usedBytes);
  await reader.close();
  const later = openForReading(directory).reader;
  expect(later.get("meta", Buffer.from("a"))?.toString()).toBe("second 4");
  await later.close();
  await storage.close();
});
