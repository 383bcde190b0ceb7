import { readFileSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readSegment } from "../../../src/storage/log/log-file.js";
import { LogSegment } from "../../../src/storage/log/log-segment.js";
import { mergeChanges } from "../../../src/storage/log/merge-changes.js";
import { mountSmallDisk } from "../../helpers/small-disk.js";
import { change, newFolder } from "./crashed-folder.js";

const LOG = Buffer.from("log id 0");

const readKeys = (path: string) => mergeChanges(readSegment(readFileSync(path))).map(({ key }) => String(key));

it("overwrites a record that could only be written in part", async ({ skip }) => {
  const disk = mountSmallDisk(1);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const path = join(disk.folder, "log");
  const segment = new LogSegment(path, LOG);
  segment.begin(1);
  await segment.append([change("a", "1")]);
  const tooLarge = segment.append([change("b", "1".repeat(2 ** 21))]);
  await expect(tooLarge).rejects.toMatchObject({ code: "ERR_WRITE_FAILED" });
  expect(statSync(path).size).toBeGreaterThan(2 ** 19);
  await segment.append([change("c", "1")]);
  expect(readKeys(path)).toEqual(["a", "c"]);
  segment.release();
});

it("names a file that it cannot open", () => {
  const path = newFolder();
  expect(() => new LogSegment(path, LOG)).toThrow(`${basename(path)} cannot be opened for writing: Is a directory`);
});

it("gives the space of a large segment back when the next one begins", async () => {
  const path = join(newFolder(), "log");
  const segment = new LogSegment(path, LOG);
  segment.begin(1);
  await segment.append([change("a", "1".repeat(2 ** 25))]);
  expect(statSync(path).size).toBeGreaterThan(2 ** 25);
  segment.begin(2);
  await segment.append([change("b", "1")]);
  expect(statSync(path).size).toBe(2 ** 18);
  expect(readKeys(path)).toEqual(["b"]);
  segment.release();
});

it("keeps the size of a file that it cannot shrink", async () => {
  const path = join(newFolder(), "log");
  const segment = new LogSegment(path, LOG);
  segment.begin(1);
  await segment.append([change("a", "1".repeat(2 ** 25))]);
  renameSync(path, `${path}.moved`);
  segment.begin(2);
  await segment.append([change("b", "1")]);
  expect(statSync(`${path}.moved`).size).toBeGreaterThan(2 ** 25);
  expect(readKeys(`${path}.moved`)).toEqual(["b"]);
  segment.release();
});

it("overwrites the records of the segment before", async () => {
  const path = join(newFolder(), "log");
  const segment = new LogSegment(path, LOG);
  segment.begin(1);
  for (const key of ["a", "b", "c"]) await segment.append([change(key, "1")]);
  segment.begin(3);
  expect([segment.bytes, segment.changes]).toEqual([0, 0]);
  await segment.append([change("d", "1")]);
  expect(readKeys(path)).toEqual(["d"]);
  segment.release();
});
