import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { recordKey, sessionKey } from "../../src/session/stored/keys.js";
import { type Change, Storage, StorageReader } from "../../src/storage/index.js";

/** Creates a folder that is removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-storage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a folder. It is closed when the test ends. */
export async function openStorage(directory: string): Promise<Storage> {
  const storage = await Storage.open({ directory, durability: "call" });
  onTestFinished(() => storage.close());
  return storage;
}

/** Returns a copy of a folder: what a crash at this moment leaves. */
export function crash(directory: string): string {
  const copy = newFolder();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** Returns the change of a record of a session; without a value, its removal. */
export function record(session: number, index: number, value?: Buffer | string): Change {
  return {
    table: "records",
    key: recordKey(session, "interaction", index),
    value: value === undefined ? undefined : Buffer.from(value),
  };
}

/** Returns the change of the head of a session; without a value, its removal. */
export function head(session: number, value?: string): Change {
  return { table: "sessions", key: sessionKey(session), value: value === undefined ? undefined : Buffer.from(value) };
}

/** Returns all values of a folder by table and key, as texts. */
export function readAll(storage: Storage | StorageReader): Record<string, string> {
  const values: Record<string, string> = {};
  for (const table of ["meta", "sessions", "records", "leases"] as const) {
    for (const { key, value } of storage.range(table))
      values[`${table} ${key.toString("hex")}`] = value.toString("latin1");
  }
  return values;
}

/** Returns all values that can be read, and why others cannot. */
export function readIntact(directory: string): { values: Record<string, string>; damage: string[] } {
  using storage = StorageReader.open(directory);
  const values: Record<string, string> = {};
  const damage: string[] = [];
  storage.checkRecords(({ reason }) => damage.push(reason));
  for (const table of ["meta", "sessions", "records", "leases"] as const) {
    const entries = storage.scan(table, ({ reason }) => damage.push(reason));
    for (const { key, value } of entries) values[`${table} ${key.toString("hex")}`] = value.toString("latin1");
  }
  return { values, damage };
}

const text = (n: number) => Buffer.from(`value ${n} `.repeat(40 + n));

/** Writes three segments. The server is closed after the last one, or crashes. */
export async function writeSegments({ isClosed }: { isClosed: boolean }): Promise<string> {
  const directory = newFolder();
  for (let segment = 0; segment < 3; segment++) {
    const storage = await openStorage(directory);
    for (let n = 0; n < 6; n++) {
      storage.write([record(segment, n, text(n)), head(segment, `head ${n}`)]);
      await storage.flushed();
    }
    if (segment === 2 && !isClosed) return crash(directory);
    await storage.close();
  }
  return directory;
}

/** Starts a server. Returns its values, or the message of its error. */
export async function start(directory: string): Promise<Record<string, string> | string> {
  try {
    const storage = await Storage.open({ directory, durability: "call" });
    try {
      return readAll(storage);
    } finally {
      await storage.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns true for the files of a folder that have something of its log. */
export const isOfLog = (name: string) => name !== "rolltape.lock";

/** The records that a storage must contain after the changes. */
export class Model {
  readonly values = new Map<string, string>();

  write(changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const name = `${table} ${Buffer.from(key).toString("hex")}`;
      if (value) this.values.set(name, Buffer.from(value).toString("latin1"));
      else this.values.delete(name);
    }
  }

  get all(): Record<string, string> {
    return Object.fromEntries(this.values);
  }
}
