import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  openRegularFileSync,
  readRegularFile,
  readRegularFileSync,
  requireRegularFile,
} from "../../src/support/regular-file.js";

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-regular-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "text"), "1234");
  return folder;
}

/** Paths of the files that this process has open. The descriptor of the folder itself is closed by the time it is looked up. */
function openPaths(): string[] {
  return readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
}

it("reads a text file up to a number of bytes", async () => {
  const file = join(createFolder(), "text");
  expect(await readRegularFile(file, 4)).toBe("1234");
  await expect(readRegularFile(file, 3)).rejects.toThrow("it has 4 bytes");
  expect(readRegularFileSync(file, 4)).toBe("1234");
  expect(() => readRegularFileSync(file, 3)).toThrow("it has 4 bytes");
  expect(openPaths()).not.toContain(file);
});

it("refuses what is not a file", async () => {
  const folder = createFolder();
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of [folder, "/dev/null", pipe]) {
    expect(() => readRegularFileSync(path)).toThrow("it is not a regular file");
    await expect(readRegularFile(path, 1 << 20)).rejects.toThrow("it is not a regular file");
    await expect(requireRegularFile(path)).rejects.toThrow("it is not a regular file");
  }
  await requireRegularFile(join(folder, "text"));
  for (const path of [folder, pipe]) expect(openPaths()).not.toContain(path);
});

it("opens a file to write it", () => {
  const file = join(createFolder(), "text");
  const descriptor = openRegularFileSync(file, constants.O_WRONLY | constants.O_APPEND);
  writeSync(descriptor, "5");
  closeSync(descriptor);
  expect(readFileSync(file, "utf8")).toBe("12345");
});
