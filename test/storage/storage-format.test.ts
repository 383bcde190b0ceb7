import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { native } from "../../src/native/addon.js";
import type { Change } from "../../src/storage/index.js";
import { head, newFolder, openStorage, record } from "./stored-folder.js";

/** The files of a folder have the bytes that docs/reference/storage-format.md describes. */

const PAGE = 4096;
const REMOVED = 2 ** 32 - 1;
const TABLES = ["meta", "sessions", "records", "leases"];
const alignUp = (size: number, unit: number) => Math.ceil(size / unit) * unit;

interface ReadChange {
  readonly at: number;
  readonly table: string | undefined;
  readonly key: string;
  readonly value: string | undefined;
}

/** Reads a segment as the page describes it. */
function readSegment(path: string) {
  const bytes = readFileSync(path);
  const records: { log: string; segment: number; before: number; number: number; changes: ReadChange[] }[] = [];
  for (let at = 0; at < bytes.length && bytes.toString("latin1", at, at + 4) === "RTLG"; ) {
    const length = bytes.readUInt32LE(at + 36);
    const end = at + 40 + length;
    expect(bytes.readUInt32LE(at + 4)).toBe(native.crc32c(bytes.subarray(at + 8, end)));
    const changes: ReadChange[] = [];
    for (let from = at + 40; from < end; ) {
      const [keyLength, valueLength] = [bytes.readUInt16LE(from + 2), bytes.readUInt32LE(from + 4)];
      const valueAt = from + 8 + keyLength;
      const valueEnd = valueAt + (valueLength === REMOVED ? 0 : valueLength);
      const value = valueLength === REMOVED ? undefined : bytes.toString("latin1", valueAt, valueEnd);
      const key = bytes.toString("hex", from + 8, valueAt);
      changes.push({ at: from, table: TABLES[bytes.readUInt8(from)], key, value });
      from = alignUp(valueEnd, 8);
    }
    const [segment, before] = [bytes.readBigUInt64LE(at + 16), bytes.readBigUInt64LE(at + 24)].map(Number) as [
      number,
      number,
    ];
    const log = bytes.toString("hex", at + 8, at + 16);
    records.push({ log, segment, before, number: bytes.readUInt32LE(at + 32), changes });
    at = alignUp(end, PAGE);
  }
  return { size: bytes.length, records };
}

/** Reads an index as the page describes it. */
function readIndex(path: string) {
  const bytes = readFileSync(path);
  expect(bytes.toString("latin1", 0, 4)).toBe("RTIX");
  expect(bytes.readUInt32LE(4)).toBe(native.crc32c(bytes.subarray(8)));
  const changes: object[] = [];
  for (let from = 32; from < bytes.length; ) {
    const [keyLength, valueLength] = [bytes.readUInt16LE(from + 6), bytes.readUInt32LE(from + 8)];
    const key = bytes.toString("hex", from + 12, from + 12 + keyLength);
    const table = TABLES[bytes.readUInt8(from + 4)];
    changes.push({
      at: 8 * bytes.readUInt32LE(from),
      table,
      key,
      length: valueLength === REMOVED ? undefined : valueLength,
    });
    from += 12 + keyLength;
  }
  const [segment, end] = [bytes.readBigUInt64LE(16), bytes.readBigUInt64LE(24)].map(Number);
  return { log: bytes.toString("hex", 8, 16), segment, end, changes };
}

function readManifest(directory: string): object {
  const [json = "", checksum, rest] = readFileSync(join(directory, "manifest"), "utf8").split("\n");
  expect([checksum, rest]).toEqual([native.crc32c(Buffer.from(json)).toString(16).padStart(8, "0"), ""]);
  return JSON.parse(json) as object;
}

/** Changes of all tables, of which one removes a key and one is larger than a page. */
const COMMITS: readonly (readonly Change[])[] = [
  [
    { table: "meta", key: Buffer.from("name"), value: Buffer.from("value") },
    head(7, "a head"),
    record(7, 3, "x".repeat(5000)),
    { table: "leases", key: Buffer.from("lease"), value: Buffer.alloc(0) },
  ],
  [record(7, 3), head(7, "another head")],
];
const LATER: readonly Change[] = [head(8, "of the next start")];

const describeChange = ({ table, key, value }: Change) => ({
  table,
  key: Buffer.from(key).toString("hex"),
  value: value && Buffer.from(value).toString("latin1"),
});

async function writeFolder(): Promise<string> {
  const directory = newFolder();
  const first = await openStorage(directory);
  for (const changes of COMMITS) {
    first.write(changes);
    await first.flushed();
  }
  await first.close();
  const second = await openStorage(directory);
  second.write(LATER);
  await second.close();
  return directory;
}

test("segments have the records and changes that the page describes", async () => {
  const directory = await writeFolder();
  const segments = [1, 2].map((number) => readSegment(join(directory, `segment-0000000${number}.log`)));
  const records = segments.map((segment) =>
    segment.records.map(({ segment: number, before, number: place, changes }) => ({
      segment: number,
      before,
      number: place,
      changes: changes.map(({ table, key, value }) => ({ table, key, value })),
    })),
  );
  const sizes = segments.map(({ size }) => size);
  expect(sizes).toEqual([3 * PAGE, PAGE]);
  expect(records).toEqual([
    COMMITS.map((changes, number) => ({ segment: 1, before: 0, number, changes: changes.map(describeChange) })),
    [{ segment: 2, before: sizes[0], number: 0, changes: LATER.map(describeChange) }],
  ]);
});

test("the manifest and the index of each segment have what the page describes", async () => {
  const directory = await writeFolder();
  const segments = [1, 2].map((number) => readSegment(join(directory, `segment-0000000${number}.log`)));
  const log = segments[0]?.records[0]?.log;
  expect(readManifest(directory)).toEqual({ format: 1, log, first: 1, last: 2, end: PAGE });
  const indexes = [1, 2].map((number) => readIndex(join(directory, `segment-0000000${number}.index`)));
  expect(indexes).toEqual(
    segments.map(({ size, records }, place) => ({
      log,
      segment: place + 1,
      end: size,
      changes: records.flatMap(({ changes }) =>
        changes.map(({ at, table, key, value }) => ({ at, table, key, length: value?.length })),
      ),
    })),
  );
});

test("the manifest has no end while a server writes", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write(LATER);
  await storage.flushed();
  expect(readManifest(directory)).toMatchObject({ first: 1, last: 1, end: null });
});

test("the manifest has no end if the index of the last segment could not be written", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write(LATER);
  await storage.flushed();
  mkdirSync(join(directory, "segment-00000001.index"));
  await storage.close();
  expect(readManifest(directory)).toMatchObject({ first: 1, last: 1, end: null });
});
