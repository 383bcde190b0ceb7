import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { native } from "../../src/native/addon.js";
import { type Damage, Storage, StorageReader } from "../../src/storage/index.js";
import { crash, head, isOfLog, newFolder, openStorage, readIntact, start, writeSegments } from "./stored-folder.js";

/** A folder without one of its files, or with one that is damaged, is refused by the name of the file. */

test.each([true, false])(
  "refuses a folder without one of its files by name, but starts without an index (closed: %s)",
  async (isClosed) => {
    const original = await writeSegments({ isClosed });
    const names = readdirSync(original).filter(isOfLog);
    expect(names).toEqual([
      "manifest",
      "segment-00000001.index",
      "segment-00000001.log",
      "segment-00000002.index",
      "segment-00000002.log",
      ...(isClosed ? ["segment-00000003.index"] : []),
      "segment-00000003.log",
    ]);
    const expected = await start(crash(original));
    const startWithout = async (name: string) => {
      const directory = crash(original);
      rmSync(join(directory, name));
      return start(directory);
    };
    const lists = names.filter((name) => name.endsWith(".index"));
    for (const name of lists) expect(await startWithout(name)).toEqual(expected);
    for (const name of names.filter((each) => !lists.includes(each))) {
      expect(await startWithout(name)).toContain(`is damaged: ${name} is missing`);
    }
  },
);

test("refuses a complete segment that was truncated, by its name", async () => {
  const original = await writeSegments({ isClosed: true });
  for (const number of [1, 2, 3]) {
    const directory = crash(original);
    truncateSync(join(directory, `segment-0000000${number}.log`), 5000);
    expect(await start(directory)).toContain(`is damaged: segment-0000000${number}.log was truncated`);
  }
});

test("refuses files of different moments", async () => {
  const directory = newFolder();
  const first = await openStorage(directory);
  first.write([head(1, "a")]);
  await first.close();
  const manifest = readFileSync(join(directory, "manifest"));
  const second = await openStorage(directory);
  second.write([head(1, "b")]);
  await second.close();
  const newer = crash(directory);
  writeFileSync(join(newer, "manifest"), manifest);
  expect(await start(newer)).toContain("is damaged: segment-00000002.log is newer than manifest");
  const other = newFolder();
  const third = await openStorage(other);
  third.write([head(1, "c")]);
  await third.close();
  copyFileSync(join(other, "segment-00000001.log"), join(directory, "segment-00000001.log"));
  rmSync(join(directory, "segment-00000001.index"));
  expect(await start(directory)).toContain("is damaged: segment-00000001.log is damaged at byte 0");
});

test("drops a record that was being written at a crash, and reports its size", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  storage.write([head(1, "b")]);
  await storage.flushed();
  const copy = crash(directory);
  const path = join(copy, "segment-00000001.log");
  const bytes = readFileSync(path);
  bytes.fill(0, 4096 + 54);
  writeFileSync(path, bytes);
  const incomplete = bytes.subarray(4096).findLastIndex((byte) => byte !== 0) + 1;
  const recovered: unknown[] = [];
  const again = await Storage.open({ directory: copy, durability: "call", onRecover: (each) => recovered.push(each) });
  expect(again.get("sessions", Buffer.from([0, 0, 0, 0, 0, 1]))?.toString()).toBe("a");
  expect(recovered).toEqual([{ records: 1, bytes: 4096, incomplete }]);
  await again.close();
});

test("a reader beside a server says which segment is missing, and reads the others", async () => {
  const directory = newFolder();
  for (const session of [1, 2, 3]) {
    const storage = await openStorage(directory);
    storage.write([head(session, `session ${session}`)]);
    await storage.close();
  }
  await openStorage(directory);
  rmSync(join(directory, "segment-00000002.log"));
  const { values, damage } = readIntact(directory);
  expect(Object.values(values)).toEqual(["session 1", "session 3"]);
  expect(damage).toContain("segment-00000002.log is missing");
});

test("reports a damaged manifest, and reads the values without it if there are segments", async () => {
  const directory = await writeSegments({ isClosed: true });
  const { values } = readIntact(directory);
  const reason = "manifest is damaged: its checksum is wrong";
  const damaged = crash(directory);
  writeFileSync(join(damaged, "manifest"), "{}\n0\n");
  expect(readIntact(damaged)).toEqual({ values, damage: [reason] });
  expect(await start(damaged)).toContain(`is damaged: ${reason}. \`rolltape storage verify\` lists what is lost`);
  const other = newFolder();
  writeFileSync(join(other, "segment-00000001.log"), "something else");
  const { damage } = readIntact(other);
  expect([damage[0], damage[1]]).toEqual(["manifest is missing", "segment-00000001.log is damaged at byte 0"]);
  const empty = newFolder();
  writeFileSync(join(empty, "manifest"), "{}\n0\n");
  expect(readIntact(empty)).toEqual({ values: {}, damage: [reason] });
});

test.each([
  ["names an unknown table", 0, 200],
  ["names another table", 0, 0],
  ["has a value that is too long", 4, 3],
  ["has another key", 13, 3],
])("reports a value whose change %s by its key, and reads the others", async (_, offset, byte) => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a"), head(2, "b")]);
  await storage.close();
  const path = join(directory, "segment-00000001.log");
  const bytes = readFileSync(path);
  const at = bytes.indexOf(head(2).key) - 8;
  bytes.writeUInt8(byte, at + offset);
  writeFileSync(path, bytes);
  using reader = StorageReader.open(directory);
  const damage: Damage[] = [];
  const read = [...reader.scan("sessions", (each) => damage.push(each))];
  expect(read.map(({ value }) => value.toString())).toEqual(["a"]);
  expect(damage).toEqual([
    { table: "sessions", key: head(2).key, reason: `segment-00000001.log is damaged at byte ${at}` },
  ]);
  expect(() => [...reader.range("sessions")]).toThrow(`segment-00000001.log is damaged at byte ${at}`);
  expect(() => reader.get("sessions", Buffer.from(head(2).key))).toThrow(`is damaged at byte ${at}`);
  const records: Damage[] = [];
  reader.checkRecords((each) => records.push(each));
  expect(records).toEqual([{ table: undefined, key: undefined, reason: "segment-00000001.log is damaged at byte 0" }]);
});

test("starts without an index that is damaged, or is of another segment or log", async () => {
  const original = await writeSegments({ isClosed: true });
  const expected = await start(crash(original));
  const index = (directory: string, number = 1) => join(directory, `segment-0000000${number}.index`);
  const flip = (at: number) => (path: string) => {
    const bytes = readFileSync(path);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(path, bytes);
  };
  const other = await writeSegments({ isClosed: true });
  const changes: ((path: string) => void)[] = [
    // The magic, the end of the records, and the last byte of the first key.
    flip(0),
    flip(25),
    flip(32 + 12 + 10),
    (path) => copyFileSync(index(original, 2), path),
    (path) => copyFileSync(index(other), path),
    (path) => truncateSync(path, 31),
  ];
  for (const change of changes) {
    const directory = crash(original);
    change(index(directory));
    expect(await start(directory)).toEqual(expected);
    expect(readIntact(directory)).toEqual({ values: expected, damage: [] });
  }
});

test("a reader beside a server refuses a folder that a later version has taken", async () => {
  const directory = newFolder();
  await openStorage(directory);
  const json = JSON.stringify({ format: 2 });
  const checksum = native.crc32c(Buffer.from(json)).toString(16).padStart(8, "0");
  writeFileSync(join(directory, "manifest"), `${json}\n${checksum}\n`);
  expect(() => StorageReader.open(directory)).toThrow("was written by another version of Rolltape");
});
