import { expect, test } from "vitest";
import { storageProblems } from "../../../src/cli/preflight/storage-problems.js";
import { resolveConfig } from "../../../src/config/index.js";

function problemsOf(...overrides: string[]): string[] {
  const sources = { overrides, env: {} };
  return storageProblems(resolveConfig(sources), sources).map(({ key, message }) => `${key} ${message}`);
}

test("an empty storage.directory is a problem, because sessions are not stored", () => {
  expect(problemsOf("storage.directory=")).toEqual([
    "storage.directory is empty, so sessions are not stored and end with the process; write a folder, or null for no storage",
  ]);
});

test("a storage.directory that is null, absent or a folder is no problem", () => {
  for (const overrides of [["storage.directory=null"], [], ["storage.directory=/data"]])
    expect(problemsOf(...overrides)).toEqual([]);
  expect(problemsOf("storage.directory=", "storage.directory=/data")).toEqual([]);
});
