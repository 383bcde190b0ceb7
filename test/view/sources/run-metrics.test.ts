import { renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type FileAccess, LOCAL_FILES } from "../../../src/support/file-access.js";
import { RunMetrics } from "../../../src/view/sources/run-metrics.js";
import { temporaryFolder } from "../../cli/rolltape.js";

const line = (step: number, loss: number) => ({ step, version: step, time: 1, loss });
const textOf = (...lines: object[]): string => lines.map((each) => `${JSON.stringify(each)}\n`).join("");

/** The metrics of a transcript in a folder, and the number of files that are open. */
function open(name = "run.jsonl") {
  const folder = temporaryFolder();
  const counts = { open: 0 };
  const files: FileAccess = {
    find: (inside, name) => LOCAL_FILES.find(inside, name),
    async open(path) {
      const file = await LOCAL_FILES.open(path);
      counts.open++;
      const close = () => (counts.open--, file.close());
      return { read: file.read.bind(file), stat: file.stat.bind(file), close };
    },
  };
  return { folder, files, counts, metrics: RunMetrics.ofTranscript(join(folder, name), files) };
}

it("reads the last line of each step in order, once for each change of the file", async () => {
  const { folder, metrics, counts } = open();
  const path = join(folder, "run.metrics.jsonl");
  expect(await metrics.readChanged()).toBeUndefined();
  writeFileSync(path, textOf(line(2, 5), line(1, 4), line(2, 3)));
  expect(await metrics.readChanged()).toEqual([line(1, 4), line(2, 3)]);
  expect(await metrics.readChanged()).toBeUndefined();
  // The same size, but another file.
  writeFileSync(`${path}.new`, textOf(line(2, 5), line(1, 4), line(2, 6)));
  renameSync(`${path}.new`, path);
  expect(await metrics.readChanged()).toEqual([line(1, 4), line(2, 6)]);
  expect(counts.open).toBe(0);
});

it("has no metrics of a file that is too large, and none of a transcript with another ending", async () => {
  const { folder, metrics, counts } = open();
  const path = join(folder, "run.metrics.jsonl");
  writeFileSync(path, textOf(line(1, 1)));
  truncateSync(path, (256 << 20) + 1);
  expect([await metrics.readChanged(), counts.open]).toEqual([undefined, 0]);
  const other = open("run.txt");
  writeFileSync(join(other.folder, "run.txt.metrics.jsonl"), textOf(line(1, 1)));
  expect(await other.metrics.readChanged()).toBeUndefined();
});

it("has the metrics beside a batch, whose name may have a number", async () => {
  const { folder, files, counts } = open();
  writeFileSync(join(folder, "batch.safetensors.metrics.jsonl"), textOf(line(1, 1)));
  for (const name of ["batch.safetensors", "batch-00012.safetensors"]) {
    expect(await RunMetrics.ofBatch(join(folder, name), files).readChanged()).toEqual([line(1, 1)]);
  }
  writeFileSync(join(folder, "batch-00012.safetensors.metrics.jsonl"), textOf(line(2, 2)));
  expect(await RunMetrics.ofBatch(join(folder, "batch-00012.safetensors"), files).readChanged()).toEqual([line(2, 2)]);
  expect(counts.open).toBe(0);
});

it("reads again after an error", async () => {
  const { folder, files } = open();
  writeFileSync(join(folder, "run.metrics.jsonl"), textOf(line(1, 1)));
  let isBroken = true;
  let closed = 0;
  const broken: FileAccess = {
    find: (inside, name) => files.find(inside, name),
    async open(path) {
      const file = await files.open(path);
      const close = () => (closed++, file.close());
      const read = isBroken ? () => Promise.reject(new Error("no disk")) : file.read.bind(file);
      return { ...file, read, close };
    },
  };
  const metrics = RunMetrics.ofTranscript(join(folder, "run.jsonl"), broken);
  expect([await metrics.readChanged(), closed]).toEqual([undefined, 1]);
  isBroken = false;
  expect(await metrics.readChanged()).toEqual([line(1, 1)]);
});
