import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeFolder } from "../../src/support/make-folder.js";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-make-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

it("creates a folder and its parents", async () => {
  const folder = join(createFolder(), "a", "b", "c");
  await makeFolder(folder);
  expect(isFolder(folder)).toBe(true);
  for (const each of [folder, join(folder, ".."), join(folder, "..", "..")])
    expect(statSync(each).mode & 0o777).toBe(0o700);
  await makeFolder(folder);
});

it("creates folders of one path at the same time", async () => {
  const folder = join(createFolder(), "a", "b", "c");
  await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(folder, "d"))]);
  expect(isFolder(join(folder, "d"))).toBe(true);
});

it("rejects if a file is in the place of the folder or of a parent", async () => {
  const file = join(createFolder(), "file");
  writeFileSync(file, "");
  await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
  await expect(makeFolder(join(file, "a"))).rejects.toMatchObject({ code: "ENOTDIR" });
  await expect(makeFolder(join(file, "a", "b"))).rejects.toMatchObject({ code: "ENOTDIR" });
});

it("rejects where the file system takes no folders", async () => {
  await expect(makeFolder("/proc/rolltape")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(makeFolder("/proc/rolltape/a")).rejects.toMatchObject({ code: "ENOENT" });
});
