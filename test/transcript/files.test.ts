import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addBatchNumber, removeBatchNumber } from "../../src/transcript/batch-number.js";
import { metricsFileOf, parseMetrics, readMetrics } from "../../src/transcript/metrics-file.js";

it.each([
  ["batch.safetensors", 12, "batch-00012.safetensors"],
  ["/out/a.b/batch.v2.safetensors", 0, "/out/a.b/batch.v2-00000.safetensors"],
  ["out/batch.safetensors", 123_456, "out/batch-123456.safetensors"],
])("puts the number into the name of the batch file %s, and takes it out again", (file, number, numbered) => {
  expect(addBatchNumber(file, number)).toBe(numbered);
  expect(removeBatchNumber(numbered)).toBe(file);
  expect(removeBatchNumber(file)).toBe(file);
});

it("has the metrics file beside the batch file", () => {
  expect(metricsFileOf("batch.safetensors")).toBe("batch.safetensors.metrics.jsonl");
});

const LINES = [
  { step: 0, version: 1, time: 2.5, loss: 0.5 },
  { step: 1, version: 2, time: 3.5 },
];
const TEXT = LINES.map((line) => JSON.stringify(line)).join("\n");

it("reads metrics without lines that are incomplete or something else", () => {
  const others = [
    '{"step":2',
    '{"step":2,"version":1}',
    '{"step":0.5,"version":1,"time":1}',
    '{"step":2,"version":1,"time":1,"loss":"1"}',
  ];
  expect(parseMetrics([TEXT, ...others, ""].join("\n"))).toEqual(LINES);
});

it("has no metrics without a file, and fails if it cannot be read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-transcript-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "metrics.jsonl");
  expect(await readMetrics(path)).toEqual([]);
  writeFileSync(path, TEXT);
  expect(await readMetrics(path)).toEqual(LINES);
  await expect(readMetrics(folder)).rejects.toThrow("it is not a regular file");
});
