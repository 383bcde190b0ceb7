import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readRegularFile, requireRegularFile } from "../../src/support/regular-file.js";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-regular-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "text"), "1234");
  return folder;
}

it("reads a text file up to a number of bytes", async () => {
  const file = join(createFolder(), "text");
  expect(await readRegularFile(file, 4)).toBe("1234");
  await expect(readRegularFile(file, 3)).rejects.toThrow("it has 4 bytes");
});

it("refuses what is not a file", async () => {
  const folder = createFolder();
  for (const path of [folder, "/dev/null"]) {
    await expect(readRegularFile(path, 1 << 20)).rejects.toThrow("it is not a regular file");
    await expect(requireRegularFile(path)).rejects.toThrow("it is not a regular file");
  }
  await requireRegularFile(join(folder, "text"));
});
