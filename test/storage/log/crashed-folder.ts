import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Change, OfflineStorage, Storage, type Table } from "../../../src/storage/index.js";

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function change(key: string, value: string | undefined, table: Table = "records"): Change {
  return { table, key: Buffer.from(key), value: value === undefined ? undefined : Buffer.from(value) };
}

/** Copies a folder whose storage is open. The copy is what a crash would leave. */
export function copyAtCrash(directory: string): string {
  const copy = newFolder();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** Returns the values of a table by key, as a server would have them after its start. */
export function readOffline(directory: string, table: Table = "records"): Record<string, string> {
  using storage = OfflineStorage.open(directory);
  return toRecord(storage.range(table));
}

/** Starts a storage on a folder, closes it, and returns the entries of the table `records` that it had. */
export async function readByStart(directory: string, durability: "call" | "none" = "call") {
  const storage = await Storage.open({ directory, durability });
  const entries = toRecord(storage.range("records"));
  await storage.close();
  return entries;
}

function toRecord(entries: Iterable<{ readonly key: Buffer; readonly value: Buffer }>): Record<string, string> {
  return Object.fromEntries([...entries].map(({ key, value }) => [key.toString(), value.toString()]));
}

/** Opens a storage with durability `call`, which is closed at the end of the test. */
export async function openStorage(directory: string): Promise<Storage> {
  const storage = await Storage.open({ directory, durability: "call" });
  onTestFinished(() => storage.close());
  return storage;
}
