import { chmodSync, chownSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { requireWritable } from "../../../src/cli/preflight/preflight.js";
import { temporaryFolder } from "../rolltape.js";

const NOBODY = 65534;

/** Removes the privileges of root from this process until the test ends. */
function withoutRoot(): void {
  if (process.geteuid?.() !== 0) return;
  process.seteuid?.(NOBODY);
  onTestFinished(() => process.seteuid?.(0));
}

describe("the folder of --out", () => {
  it("is refused with the path of the user if no file can be created in it", async () => {
    await expect(requireWritable("/proc/batch.safetensors")).rejects.toMatchObject({
      code: "invalid_arguments",
      message:
        "--out /proc/batch.safetensors cannot be written: no file can be created in /proc: ENOENT: no such file or directory",
    });
  });

  it("is refused if it can be written but not read, because it is synced after a batch", async () => {
    const folder = temporaryFolder();
    if (process.geteuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    chmodSync(folder, 0o300);
    withoutRoot();
    const out = `${folder}/batch.safetensors`;
    await expect(requireWritable(out)).rejects.toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining(
        `--out ${out} cannot be written: the folder ${folder} must be readable, because it is synced after a batch: EACCES`,
      ) as string,
    });
    chmodSync(folder, 0o700);
    await expect(requireWritable(out)).resolves.toBeUndefined();
  });
});
