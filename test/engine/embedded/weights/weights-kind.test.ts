import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { weightsKind } from "../../../../src/engine/embedded/weights/weights-kind.js";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rolltape-kind-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it("tells a folder from a GGUF file, whatever its name is", async () => {
  const folder = await scratch();
  await writeFile(join(folder, "weights"), "GGUF\u0003");
  expect(await weightsKind(folder)).toBe("checkpoint folder");
  expect(await weightsKind(join(folder, "weights"))).toBe("GGUF file");
});

it.each(["", "GGU", "\b\0\0\0{}"])("says what to pass instead of a file that begins with %j", async (content) => {
  const file = join(await scratch(), "model.safetensors");
  await writeFile(file, content);
  await expect(weightsKind(file)).rejects.toThrow("pass the folder that has them and config.json");
});

it("says where a relative path begins, and nothing of it for an absolute one", async () => {
  await expect(weightsKind("no/such/weights")).rejects.toThrow(
    `ENOENT: no such file or directory, stat 'no/such/weights'. Relative paths begin at the server's working directory, ${process.cwd()}.`,
  );
  await expect(weightsKind(join(await scratch(), "none"))).rejects.toThrow(/^ENOENT[^.]*\/none'$/);
});
