import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { writeVisionFiles } from "./vision-files.js";

/** Returns a new folder with the files of {@link writeVisionFiles}. It is removed when the test ends. */
export async function writeVisionModel(options?: Parameters<typeof writeVisionFiles>[1]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-vision-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await writeVisionFiles(folder, options);
  return folder;
}
